package io.idlalayer.middleware.primitive;

/** Converts nanoseconds to other units. */
public final class Nanos {
  public static final double PER_SECOND = 1e9;
  public static final long PER_MILLI = 1_000_000;

  private Nanos() {}

  /** Returns a time in seconds, with fractions. */
  public static double toSeconds(long nanos) {
    return nanos / PER_SECOND;
  }
}
