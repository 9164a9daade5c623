package io.idlalayer.modelcontroller.quality;

import java.nio.ByteBuffer;

/** Watches a stream of numbers for a change of their mean. Not thread-safe. */
interface DriftDetector {
  /**
   * Takes the next value.
   *
   * @return whether a change is detected now
   * @throws IllegalArgumentException if the value is not finite
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
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("a loss of " + value + " cannot be watched");
    }
  }
}
