package io.idlalayer.benchmarks.timing;

import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.SplittableRandom;

/** Hands a file out in bursts: a rate for exponential times, then silence for exponential times. */
final class BurstyReader implements RecordReader {
  private static final double RATE = 1200;
  private static final double BURST_SECONDS = 2.5;
  private static final double SILENCE_SECONDS = 3;

  private final RecordReader input;
  private final SplittableRandom random;
  private double due;
  private double burstEnds;
  private long startNanos;

  BurstyReader(RecordReader input, long seed) {
    this.input = input;
    random = new SplittableRandom(seed);
  }

  @Override
  public boolean next() throws IOException {
    if (startNanos == 0) {
      startNanos = System.nanoTime();
      burstEnds = ArrivalFamily.exponential(random, BURST_SECONDS);
    }
    due += ArrivalFamily.exponential(random, 1 / RATE);
    if (due > burstEnds) {
      due = burstEnds + ArrivalFamily.exponential(random, SILENCE_SECONDS);
      burstEnds = due + ArrivalFamily.exponential(random, BURST_SECONDS);
    }
    long wait = startNanos + (long) (due * 1e9) - System.nanoTime();
    if (wait > 1_000_000) {
      try {
        Thread.sleep(wait / 1_000_000);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw (IOException) new InterruptedIOException("stopped").initCause(stopped);
      }
    }
    return input.next();
  }

  @Override
  public byte[] record() {
    return input.record();
  }

  @Override
  public long position() {
    return input.position();
  }

  @Override
  public void close() throws IOException {
    input.close();
  }
}
