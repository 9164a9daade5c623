package io.idlalayer.middleware.memory.clock;

/** A clock that measures the wall time of this machine. */
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
