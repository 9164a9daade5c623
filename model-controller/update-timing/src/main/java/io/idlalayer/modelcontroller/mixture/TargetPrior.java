package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;

/**
 * The mean of about the last {@link #WINDOW} targets, where recent targets count more than older
 * targets. Confined to one thread.
 */
final class TargetPrior {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 2;

  static final int WINDOW = 10_000;

  private static final double FORGETTING = 1 - 1.0 / WINDOW;

  private double mean;
  private double total;

  /**
   * Adds the next target of the stream.
   *
   * @param target a finite number
   * @param weight importance weight of its sample, at least 0
   */
  void add(double target, double weight) {
    total = total * FORGETTING + weight;
    if (weight > 0) {
      double share = weight / total;
      mean = mean * (1 - share) + target * share;
    }
  }

  /** Returns whether a target was added, so that there is a mean. */
  boolean known() {
    return total > 0;
  }

  double mean() {
    return mean;
  }

  /** Writes the mean to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    return out.putDouble(from, mean).putDouble(from + 1, total);
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    double stored = in.getDouble(from);
    double weight = in.getDouble(from + 1);
    if (!Double.isFinite(stored) || !(weight >= 0 && weight < Double.POSITIVE_INFINITY)) {
      throw in.refused("the mean of its targets is %s with weight %s".formatted(stored, weight));
    }
    mean = stored;
    total = weight;
  }
}
