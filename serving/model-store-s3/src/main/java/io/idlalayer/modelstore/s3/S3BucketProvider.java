package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.storage.object.ObjectBucket;
import io.idlalayer.middleware.models.storage.object.ObjectBucketProvider;
import java.io.IOException;

/** Opens buckets with addresses of the form {@code s3://BUCKET/PREFIX}. */
public final class S3BucketProvider implements ObjectBucketProvider {
  @Override
  public String scheme() {
    return "s3";
  }

  @Override
  public void check(String address) {
    S3Address.parse(address);
  }

  @Override
  public ObjectBucket open(String address) throws IOException {
    return S3Bucket.open(address);
  }
}
