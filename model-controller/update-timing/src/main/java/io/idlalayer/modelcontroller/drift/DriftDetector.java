package io.idlalayer.modelcontroller.drift;

/** Detects changes of the mean of a stream of numbers. Not thread-safe. */
interface DriftDetector {
  /**
   * Largest magnitude of a value. The square of a larger value, multiplied by a count, would
   * overflow.
   */
  double LARGEST_MAGNITUDE = 1e140;

  /**
   * Number of standard deviations from the mean to which a value is clamped. A value 45 standard
   * deviations from the mean adds as much to the sum of squares as about 2,000 ordinary values,
   * because the square of 45 is about 2,000.
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
   * Replaces the state by the state in a snapshot that a detector of this class has made.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
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
   * Returns whether a value is finite and small enough that squares of such values can be added up
   * without overflow.
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
