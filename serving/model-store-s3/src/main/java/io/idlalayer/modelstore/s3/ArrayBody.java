package io.idlalayer.modelstore.s3;

import java.io.ByteArrayInputStream;
import software.amazon.awssdk.core.sync.RequestBody;

/** Creates bodies of requests that send an array without a copy of it. */
final class ArrayBody {
  private static final String BYTES = "application/octet-stream";

  private ArrayBody() {}

  /**
   * Returns a body with the first bytes of an array, which must not change until the request has
   * been answered.
   */
  static RequestBody of(byte[] content, int count) {
    return RequestBody.fromContentProvider(
        () -> new ByteArrayInputStream(content, 0, count), count, BYTES);
  }
}
