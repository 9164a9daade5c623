package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;

/**
 * The unit of importance weights: their geometric mean over about the last {@link #WINDOW} samples.
 * Code that learns from weights divided by this mean gives the same results if all weights are
 * multiplied by a constant. The mean is a geometric one so that a single huge weight does not
 * decide it. Confined to one thread.
 */
final class WeightUnit {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 2;

  static final int WINDOW = 1_000;

  private double logarithm;
  private long samples;

  /**
   * Adds the weight of the next sample.
   *
   * @param weight at least 0; a weight of 0 is ignored
   */
  void add(double weight) {
    if (weight > 0) {
      samples++;
      logarithm += (Math.log(weight) - logarithm) / Math.min(samples, WINDOW);
    }
  }

  /**
   * Returns a weight divided by the unit. The result is finite; before the first sample it is the
   * weight itself.
   */
  double of(double weight) {
    return weight > 0 ? Math.min(Float.MAX_VALUE, Math.exp(Math.log(weight) - logarithm)) : 0;
  }

  /** Writes the unit to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    return out.putDouble(from, logarithm).putLong(from + 1, samples);
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    double stored = in.getDouble(from);
    long count = in.getLong(from + 1);
    if (!Double.isFinite(stored) || count < 0) {
      throw in.refused("the logarithm of its unit of weights is %s".formatted(stored));
    }
    logarithm = stored;
    samples = count;
  }
}
