package io.idlalayer.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The body of a request to an object store that is sent in signed chunks. Before each chunk is a
 * line with its length in hexadecimal digits and its signature, which is not checked.
 */
final class ChunkedBody {
  private static final int HEX = 16;
  private static final int LINE_END_BYTES = 2;

  private ChunkedBody() {}

  /** Returns whether a body is one, by the request's header {@code x-amz-content-sha256}. */
  static boolean is(String contentHash) {
    return contentHash != null && contentHash.startsWith("STREAMING-");
  }

  /** Returns the content of the chunks. */
  static byte[] content(byte[] body) {
    ByteArrayOutputStream content = new ByteArrayOutputStream(body.length);
    int at = 0;
    while (at < body.length) {
      int lineEnd = at;
      while (body[lineEnd] != '\r') {
        lineEnd++;
      }
      String line = new String(body, at, lineEnd - at, StandardCharsets.US_ASCII);
      int bytes = Integer.parseInt(line.split(";", -1)[0], HEX);
      at = lineEnd + LINE_END_BYTES;
      if (bytes == 0) {
        break;
      }
      content.write(body, at, bytes);
      at += bytes + LINE_END_BYTES;
    }
    return content.toByteArray();
  }
}
