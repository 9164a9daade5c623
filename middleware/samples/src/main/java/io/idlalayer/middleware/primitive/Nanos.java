package io.idlalayer.middleware.primitive;

/** Nanoseconds in other units. */
public final class Nanos {
  public static final double PER_SECOND = 1e9;
  public static final long PER_MILLI = 1_000_000;

  private Nanos() {}

  /** Seconds, with fractions. */
  public static double toSeconds(long nanos) {
    return nanos / PER_SECOND;
  }
}
