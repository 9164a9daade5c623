package io.idlalayer.middleware.lending.borrower;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * What this process has written to each block of a loan: how many bytes, their CRC-32C, and in
 * which loan. So it notices if a lender gives other bytes back than it got. Threads use different
 * blocks at a time, or exclude one another.
 */
final class BlockTable {
  /** Size of a block. */
  static final int BLOCK_BYTES = 4096;

  private final int[] checksums;
  private final int[] epochs;
  private final short[] written;

  BlockTable(long bytes) {
    int blocks = Math.toIntExact((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    checksums = new int[blocks];
    epochs = new int[blocks];
    written = new short[blocks];
  }

  static int blockOf(long offset) {
    return Math.toIntExact(offset / BLOCK_BYTES);
  }

  static long start(int block) {
    return (long) block * BLOCK_BYTES;
  }

  /** Returns the number of bytes at the start of a block that were written; 0 if none. */
  int written(int block) {
    return written[block];
  }

  /** Returns the loan to which the block was written last. */
  int epoch(int block) {
    return epochs[block];
  }

  /**
   * Records what was written to a block.
   *
   * @param data the block's bytes from its start, in its array from its position to its limit
   */
  void write(int block, int epoch, ByteBuffer data) {
    checksums[block] = checksum(data);
    epochs[block] = epoch;
    written[block] = (short) data.remaining();
  }

  /** Returns whether bytes from the start of a block are those that were written. */
  boolean matches(int block, ByteBuffer data) {
    return data.remaining() == written[block] && checksum(data) == checksums[block];
  }

  /** Forgets blocks, whose bytes count as 0 from now on. */
  void forget(int first, int end) {
    java.util.Arrays.fill(written, first, end, (short) 0);
  }

  private static int checksum(ByteBuffer data) {
    CRC32C checksum = new CRC32C();
    checksum.update(data.duplicate());
    return (int) checksum.getValue();
  }
}
