package io.idlalayer.benchmarks.rows.fixed;

import io.idlalayer.middleware.memory.clock.MemoryClock;

/**
 * Lets the calling thread take as much longer as an emulated device would, by the clock that
 * emulates devices of tensors. It waits in slices that are too short to park, so waits count as
 * processor time too, and a thread that loses its processor loses no more than a slice. What a
 * slice takes too long is measured at the start and taken off each. One thread.
 */
public final class EmulatedWait {
  private static final long SLICE_NANOS = 20_000;
  private static final int ROUNDS = 21;
  private static final int SLICES = 50;

  private final MemoryClock clock;
  private final long excessNanos;
  private boolean skipped;

  private EmulatedWait(MemoryClock clock, long excessNanos) {
    this.clock = clock;
    this.excessNanos = excessNanos;
  }

  /**
   * Measures what slices of this clock take too long; some 20 ms by a real one. The shortest of
   * some rounds counts: others may have lost their processor.
   */
  public static EmulatedWait calibrated(MemoryClock clock) {
    EmulatedWait plain = new EmulatedWait(clock, 0);
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long start = clock.nanos();
      plain.elapse(SLICES * SLICE_NANOS);
      least = Math.min(least, (clock.nanos() - start) / SLICES - SLICE_NANOS);
    }
    return new EmulatedWait(clock, least);
  }

  /** What is taken off each slice, in nanoseconds. */
  public long excessNanos() {
    return excessNanos;
  }

  /** The clock's nanoseconds. */
  public long now() {
    return clock.nanos();
  }

  /** Whether waits are left out from now on, while tables warm up. */
  public void skip(boolean skip) {
    skipped = skip;
  }

  /**
   * Waits.
   *
   * @throws IllegalStateException if the thread is interrupted meanwhile
   */
  public void elapse(long nanos) {
    if (skipped) {
      return;
    }
    try {
      for (long left = nanos; left > 0; left -= SLICE_NANOS) {
        clock.elapseTo(clock.nanos() + Math.min(left, SLICE_NANOS) - excessNanos);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a slow device was emulated", interrupted);
    }
  }
}
