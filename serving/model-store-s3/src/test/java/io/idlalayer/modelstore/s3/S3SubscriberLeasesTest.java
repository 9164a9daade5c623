package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.serve.SubscriberLeasesContract;

final class S3SubscriberLeasesTest extends SubscriberLeasesContract {
  S3SubscriberLeasesTest() {
    super(new S3Place());
  }
}
