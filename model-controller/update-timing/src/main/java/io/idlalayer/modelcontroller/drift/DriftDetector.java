package io.idlalayer.modelcontroller.drift;

/** Detects changes of the mean of a stream of numbers. Not thread-safe. */
interface DriftDetector {
  /** Largest magnitude of a value; the square of a larger one, times a count, would overflow. */
  double LARGEST_MAGNITUDE = 1e140;

  /**
   * Number of standard deviations from the mean to which a value is clamped. At 45, the root of
   * some 2,000, a single value already adds as much to the sum of squares as 2,000 ordinary ones.
   */
  double CLAMP_DEVIATIONS = 45;

  /**
   * Adds the next value of the stream.
   *
   * @return whether this value completes the detection of a change
   * @throws IllegalArgumentException if the value is not finite, or beyond {@link
   *     #LARGEST_MAGNITUDE}
   */
  boolean observe(double value);

  /** Returns the mean of the values before the last detected change. */
  double before();

  /** Returns the mean of the values since the last detected change. */
  double since();

  /** Forgets all values and detected changes. */
  void reset();

  /** Returns the whole state as bytes for {@link #restore}. */
  byte[] snapshot();

  /**
   * Replaces the state by that of a snapshot, which a detector of this kind has made.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not such a
   *     snapshot
   */
  void restore(byte[] snapshot);

  static void check(double value) {
    if (!isUsable(value)) {
      throw new IllegalArgumentException(
          "the drift detector refuses the loss %s: losses must be finite and at most %s in magnitude"
              .formatted(value, LARGEST_MAGNITUDE));
    }
  }

  /**
   * Returns whether a value is finite and its square is small enough to be summed up without
   * overflow.
   */
  static boolean isUsable(double value) {
    return Math.abs(value) <= LARGEST_MAGNITUDE;
  }

  /**
   * Returns a value, clamped to {@link #CLAMP_DEVIATIONS} standard deviations on either side of a
   * mean.
   */
  static double clamped(double value, double mean, double deviation) {
    double most = CLAMP_DEVIATIONS * deviation;
    return Math.max(mean - most, Math.min(mean + most, value));
  }
}
