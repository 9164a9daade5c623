package io.idlalayer.middleware.memory.clock;

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
