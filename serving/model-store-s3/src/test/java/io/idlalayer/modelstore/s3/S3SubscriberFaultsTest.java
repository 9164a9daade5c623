package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.serve.SubscriberFaultsContract;

final class S3SubscriberFaultsTest extends SubscriberFaultsContract {
  S3SubscriberFaultsTest() {
    super(new S3Place());
  }
}
