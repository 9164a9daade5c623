package io.idlalayer.middleware.memory;

/** Wall time. */
public final class RealClock implements MemoryClock {
  @Override
  public ClockKind kind() {
    return ClockKind.REAL;
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }
}
