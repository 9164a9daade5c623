package io.idlalayer.modelcontroller.quality;

import java.nio.ByteBuffer;

/** Watches a stream of numbers for a change of their mean. Not thread-safe. */
interface DriftDetector {
  /** The square of a larger magnitude, times a count, is no longer a number to compute with. */
  double LARGEST = 1e140;

  /**
   * A value farther from the mean, in standard deviations, is taken as this far: it alone would
   * outweigh the spread of 2,000 others.
   */
  double FARTHEST = 45;

  /**
   * Takes the next value.
   *
   * @return whether a change is detected now
   * @throws IllegalArgumentException if the value is not finite, or beyond {@link #LARGEST}
   */
  boolean observe(double value);

  /** Mean of what came before the last detected change. */
  double before();

  /** Mean since then. */
  double since();

  /** Forgets everything. */
  void reset();

  /** Bytes of {@link #write}. */
  int bytes();

  void write(ByteBuffer out);

  void read(ByteBuffer in);

  static void check(double value) {
    if (!watchable(value)) {
      throw new IllegalArgumentException(
          "a loss of %s cannot be watched: pass over what is not finite or beyond %s"
              .formatted(value, LARGEST));
    }
  }

  static boolean watchable(double value) {
    return Math.abs(value) <= LARGEST;
  }

  /** The value, moved to within {@link #FARTHEST} deviations of the mean. */
  static double within(double value, double mean, double deviation) {
    double reach = FARTHEST * deviation;
    return Math.max(mean - reach, Math.min(mean + reach, value));
  }
}
