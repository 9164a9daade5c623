package io.idlalayer.modelcontroller.drift;

/** Watches a stream of numbers for a change of their mean. Not thread-safe. */
interface DriftDetector {
  /** The square of a larger magnitude, times a count, overflows. */
  double LARGEST_MAGNITUDE = 1e140;

  /**
   * A value farther from the mean is clamped to this many standard deviations. At 45, the root of
   * some 2,000, a single value already adds as much to the sum of squares as 2,000 ordinary ones.
   */
  double CLAMP_DEVIATIONS = 45;

  /**
   * Takes the next value.
   *
   * @return whether a change is detected now
   * @throws IllegalArgumentException if the value is not finite, or beyond {@link
   *     #LARGEST_MAGNITUDE}
   */
  boolean observe(double value);

  /** Mean of what came before the last detected change. */
  double before();

  /** Mean since then. */
  double since();

  /** Forgets everything. */
  void reset();

  /** Everything seen. */
  byte[] snapshot();

  /**
   * Goes on from a snapshot of the same kind of detector.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is no such snapshot
   */
  void restore(byte[] snapshot);

  static void check(double value) {
    if (!isUsable(value)) {
      throw new IllegalArgumentException(
          "a loss of %s cannot be watched: pass over what is not finite or beyond %s"
              .formatted(value, LARGEST_MAGNITUDE));
    }
  }

  /** Returns whether a value is finite and small enough to compute with. */
  static boolean isUsable(double value) {
    return Math.abs(value) <= LARGEST_MAGNITUDE;
  }

  /** Returns the value, clamped to {@link #CLAMP_DEVIATIONS} on either side of the mean. */
  static double clamped(double value, double mean, double deviation) {
    double most = CLAMP_DEVIATIONS * deviation;
    return Math.max(mean - most, Math.min(mean + most, value));
  }
}
