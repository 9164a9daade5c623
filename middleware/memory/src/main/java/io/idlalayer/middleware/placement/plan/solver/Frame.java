package io.idlalayer.middleware.placement.plan.solver;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The frame around the content of a file that two processes exchange: four bytes that name its
 * kind, the version as an int, the length of the content as an int, its CRC32C as a long.
 *
 * @param magic name of the kind
 * @param version number of the content's form
 */
record Frame(int magic, int version) {
  static final int HEADER_BYTES = 4 + 4 + 4 + 8;

  /** Writes the content of a file. */
  interface Content {
    void writeTo(DataOutputStream out) throws IOException;
  }

  byte[] encoded(Content content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      content.writeTo(out);
    }
    byte[] rest = bytes.toByteArray();
    return ByteBuffer.allocate(HEADER_BYTES + rest.length)
        .putInt(magic)
        .putInt(version)
        .putInt(rest.length)
        .putLong(checksum(rest, 0))
        .put(rest)
        .array();
  }

  /**
   * Returns the content of a file.
   *
   * @throws IOException if the file is not whole, or not of this kind and version; the message is a
   *     sentence about it
   */
  DataInputStream decoded(byte[] bytes) throws IOException {
    if (bytes.length < HEADER_BYTES) {
      throw new IOException("it has only %d bytes".formatted(bytes.length));
    }
    ByteBuffer header = ByteBuffer.wrap(bytes);
    if (header.getInt() != magic) {
      throw new IOException("it does not begin as such a file does");
    }
    int found = header.getInt();
    if (found != version) {
      throw new IOException("it has version %d, not %d".formatted(found, version));
    }
    int length = header.getInt();
    if (length != bytes.length - HEADER_BYTES) {
      throw new IOException(
          "it has %d bytes after its header, not the %d that it names"
              .formatted(bytes.length - HEADER_BYTES, length));
    }
    if (header.getLong() != checksum(bytes, HEADER_BYTES)) {
      throw new IOException("its checksum is wrong");
    }
    return new DataInputStream(new ByteArrayInputStream(bytes, HEADER_BYTES, length));
  }

  private static long checksum(byte[] bytes, int from) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, from, bytes.length - from);
    return checksum.getValue();
  }
}
