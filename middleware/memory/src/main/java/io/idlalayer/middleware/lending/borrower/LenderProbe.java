package io.idlalayer.middleware.lending.borrower;

import io.idlalayer.middleware.memory.device.DeviceSpeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Measures the speed of a loan from this process, by requests that write and read up to 8 MiB.
 * Overwrites its first bytes.
 */
record LenderProbe(LongSupplier nanoTime) {
  private static final int ROUNDS = 8;
  private static final int PART_BYTES = 1 << 20;
  private static final int SMALL_BYTES = 64;
  private static final int SMALL_ROUNDS = 16;
  private static final double NANOS_PER_SECOND = 1e9;

  private interface Step {
    void run(int round) throws IOException;
  }

  /**
   * @param bytes size of the loan, at least 1
   * @throws IOException if the loan fails
   */
  DeviceSpeed measure(Loan loan, long bytes) throws IOException {
    int part = (int) Math.min(PART_BYTES, bytes);
    int small = Math.min(SMALL_BYTES, part);
    long last = bytes - part;
    ByteBuffer data = ByteBuffer.allocate(part);
    long latency = median(SMALL_ROUNDS, round -> loan.get(0, small, unread -> {}));
    long writing = median(ROUNDS, round -> loan.put(Math.min(last, (long) round * part), data));
    long reading =
        median(
            ROUNDS,
            round -> loan.get(Math.min(last, (long) round * part), part, data.clear()::put));
    return new DeviceSpeed(
        part / nanosWithout(latency, reading) * NANOS_PER_SECOND,
        part / nanosWithout(latency, writing) * NANOS_PER_SECOND,
        latency,
        latency,
        BlockTable.BLOCK_BYTES,
        1);
  }

  private static double nanosWithout(long latency, long nanos) {
    return Math.max(1, nanos - Math.min(latency, nanos / 2));
  }

  private long median(int rounds, Step step) throws IOException {
    long[] nanos = new long[rounds];
    for (int i = 0; i < rounds; i++) {
      long start = nanoTime.getAsLong();
      step.run(i);
      nanos[i] = Math.max(1, nanoTime.getAsLong() - start);
    }
    Arrays.sort(nanos);
    return nanos[rounds / 2];
  }
}
