package io.idlalayer.datacontroller.evaluation;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;

/**
 * Measures the quality of the model since the last update: the negated mean prequential loss (for
 * classification, the negated logarithm of the perplexity). Higher is better.
 */
final class WindowQuality {
  private static final StateFormat FORMAT = StateFormat.first("quality since the update");

  private double sum;
  private long count;
  private double before = Double.NaN;
  private double seconds;

  void add(float loss) {
    sum -= loss;
    count++;
  }

  /** Returns the quality since the last update; NaN if no loss was recorded. */
  double mean() {
    return count == 0 ? Double.NaN : sum / count;
  }

  /** Returns by how much the quality rose with the last update; NaN if it is unknown. */
  double gain() {
    return seconds > 0 ? mean() - before : Double.NaN;
  }

  /** Returns the duration of the last update's training in seconds. */
  double trainSeconds() {
    return seconds;
  }

  /**
   * Ends the measurement for an update that has ended, and begins the measurement for the next
   * update.
   */
  void next(double trainSeconds) {
    before = mean();
    sum = 0;
    count = 0;
    seconds = trainSeconds;
  }

  byte[] snapshot() {
    return FORMAT
        .writer()
        .putDouble(1, sum)
        .putLong(2, count)
        .putDouble(3, before)
        .putDouble(4, seconds)
        .bytes();
  }

  void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    sum = in.getDouble(1);
    count = in.getLong(2);
    before = in.getDouble(3);
    seconds = in.getDouble(4);
  }
}
