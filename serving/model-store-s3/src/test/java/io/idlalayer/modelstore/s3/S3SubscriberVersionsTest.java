package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.serve.SubscriberVersionsContract;

final class S3SubscriberVersionsTest extends SubscriberVersionsContract {
  S3SubscriberVersionsTest() {
    super(new S3Place());
  }
}
