package io.idlalayer.middleware.memory.device;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Measures the bandwidths and latencies of a file past the page cache. The bandwidths come from
 * sequential transfers of 1 MiB, one at a time as in copies, the latencies from single blocks at
 * random places, one after the other. Overwrites bytes.
 *
 * @param bytes that a pass covers, at least a block
 * @param repeats passes, of which the median counts
 * @param nanoTime the time, in nanoseconds
 */
record DirectProbe(DirectFile file, long bytes, int repeats, LongSupplier nanoTime) {
  /**
   * Most bytes of a pass; a longer one would take seconds on a slow medium and give no other
   * result.
   */
  private static final long MOST_BYTES = 64L << 20;

  private static final int TRANSFER_BYTES = 1 << 20;
  private static final int ACCESSES = 64;
  private static final double NANOS_PER_SECOND = 1e9;

  private interface Pass {
    void run() throws IOException;
  }

  private interface Transfer {
    void run(long offset, ByteBuffer buffer) throws IOException;
  }

  /**
   * Measures the read and write bandwidths and latencies of the file.
   *
   * @throws IOException if the file system refuses access past the page cache, or the medium fails
   */
  DeviceSpeed measure() throws IOException {
    int block = file.blockBytes();
    long covered = Math.min(bytes, MOST_BYTES) / block * block;
    ByteBuffer buffer = file.buffer((TRANSFER_BYTES + block - 1) / block * block);
    // Writes come first, because the first of them drops the file's pages from the page cache.
    double writes = median(() -> sequential(covered, buffer, file::write));
    double reads = median(() -> sequential(covered, buffer, file::read));
    double readNanos = median(() -> random(covered, buffer, file::read)) / ACCESSES;
    double writeNanos = median(() -> random(covered, buffer, file::write)) / ACCESSES;
    return new DeviceSpeed(
        covered / reads * NANOS_PER_SECOND,
        covered / writes * NANOS_PER_SECOND,
        Math.round(readNanos),
        Math.round(writeNanos),
        block,
        Runtime.getRuntime().availableProcessors());
  }

  private double median(Pass pass) throws IOException {
    long[] nanos = new long[repeats];
    for (int i = 0; i < repeats; i++) {
      long start = nanoTime.getAsLong();
      pass.run();
      nanos[i] = Math.max(1, nanoTime.getAsLong() - start);
    }
    Arrays.sort(nanos);
    return nanos[repeats / 2];
  }

  private static void sequential(long covered, ByteBuffer buffer, Transfer transfer)
      throws IOException {
    for (long at = 0; at < covered; at += buffer.capacity()) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), covered - at));
      transfer.run(at, buffer);
    }
  }

  private void random(long covered, ByteBuffer buffer, Transfer transfer) throws IOException {
    int block = file.blockBytes();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < ACCESSES; i++) {
      buffer.clear().limit(block);
      transfer.run(random.nextLong(covered / block) * block, buffer);
    }
  }
}
