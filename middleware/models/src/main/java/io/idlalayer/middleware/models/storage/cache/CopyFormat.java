package io.idlalayer.middleware.models.storage.cache;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The format of a complete copy, with numbers in big-endian order:
 *
 * <pre>
 * content                 BYTES bytes, as published
 * checksums               4 bytes for each block of 262,144 bytes of the content: its CRC-32
 * footer                  "idlC", format version (int), BYTES (long)
 * </pre>
 *
 * <p>A reader compares each block with its checksum before it uses the block. So it notices damage
 * before it passes on a damaged byte, and can read the rest from the source.
 */
final class CopyFormat {
  static final int FORMAT_VERSION = 1;
  static final int BLOCK_BYTES = 1 << 18;
  private static final int CHECKSUM_BYTES = Integer.BYTES;
  private static final int FOOTER_BYTES = 16;

  /** The bytes "idlC". */
  private static final int MAGIC = 0x69646C43;

  private CopyFormat() {}

  /** Returns the number of blocks of a content. */
  static int blocks(long bytes) {
    return (int) ((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
  }

  /** Returns the length in bytes of the checksums and the footer of a copy. */
  static int trailerBytes(long bytes) {
    return blocks(bytes) * CHECKSUM_BYTES + FOOTER_BYTES;
  }

  /** Returns the length in bytes of the copy of a content. */
  static long fileBytes(long bytes) {
    return bytes + trailerBytes(bytes);
  }

  /** Returns the length in bytes of a block. */
  static int blockBytes(long bytes, int block) {
    return (int) Math.min(BLOCK_BYTES, bytes - (long) block * BLOCK_BYTES);
  }

  static int checksum(byte[] block, int length) {
    CRC32 crc = new CRC32();
    crc.update(block, 0, length);
    return (int) crc.getValue();
  }

  /** Returns an empty trailer, to which the caller adds the checksums of the blocks in order. */
  static ByteBuffer trailer(long bytes) {
    return ByteBuffer.allocate(trailerBytes(bytes));
  }

  /** Adds the footer behind the last checksum, and prepares the trailer for being written. */
  static void finish(ByteBuffer trailer, long bytes) {
    trailer.putInt(MAGIC).putInt(FORMAT_VERSION).putLong(bytes).flip();
  }

  /** Returns whether a trailer ends with the footer of a copy of this length and format. */
  static boolean isComplete(ByteBuffer trailer, long bytes) {
    int at = blocks(bytes) * CHECKSUM_BYTES;
    return trailer.limit() == at + FOOTER_BYTES
        && trailer.getInt(at) == MAGIC
        && trailer.getInt(at + Integer.BYTES) == FORMAT_VERSION
        && trailer.getLong(at + 2 * Integer.BYTES) == bytes;
  }

  static int checksumOf(ByteBuffer trailer, int block) {
    return trailer.getInt(block * CHECKSUM_BYTES);
  }
}
