package io.idlalayer.datacontroller.selection;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;

/**
 * Tells whether the model gets worse: compares the mean prequential loss of about the last hundred
 * samples with the mean of about the last two thousand. A loss counts as at most four times the
 * long mean, so that a few extreme losses do not make a trend. Confined to one thread.
 */
final class LossTrend {
  /**
   * Number of losses before a trend is judged, because the loss of a model falls in any case at
   * first.
   */
  static final int WARM_UP = 1_000;

  private static final double SHORT_SAMPLES = 100;
  private static final double LONG_SAMPLES = 2_000;
  private static final int CAPPED_FROM = 100;
  private static final double CAP = 4;
  private static final double RISE_FROM = 0.05;
  private static final double RISE_FULL = 0.3;
  private static final double RISING = 0.1;
  private static final StateFormat FORMAT = StateFormat.first("loss trend");

  private double shortMean;
  private double longMean;
  private long count;

  /** Adds the loss of a new sample, which must be finite and at least 0. */
  void add(double loss) {
    double taken = count < CAPPED_FROM ? loss : Math.min(loss, CAP * longMean);
    count++;
    shortMean += (taken - shortMean) / Math.min((double) count, SHORT_SAMPLES);
    longMean += (taken - longMean) / Math.min((double) count, LONG_SAMPLES);
  }

  /** Returns whether too few losses were added to judge a trend. */
  boolean young() {
    return count < WARM_UP;
  }

  /** Returns the mean loss of about the last two thousand samples; 0 before the first. */
  double mean() {
    return longMean;
  }

  /**
   * Returns by which fraction the mean of the last hundred losses exceeds the mean of the last two
   * thousand; negative if the model gets better.
   */
  private double rise() {
    return longMean > 0 ? shortMean / longMean - 1 : 0;
  }

  /**
   * Returns whether the loss rises by a tenth or more, so that high losses are due to new patterns
   * rather than to noise.
   */
  boolean rising() {
    return rise() > RISING;
  }

  /**
   * Returns how much replay the model needs, in [0, 1]: 0 while the loss is steady or falls, and 1
   * if the loss rises by 30 % or more, or if too few losses were added.
   */
  double need() {
    return young() ? 1 : Math.max(0, Math.min(1, (rise() - RISE_FROM) / (RISE_FULL - RISE_FROM)));
  }

  byte[] snapshot() {
    return FORMAT.writer().putDouble(1, shortMean).putDouble(2, longMean).putLong(3, count).bytes();
  }

  void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    shortMean = in.getDouble(1);
    longMean = in.getDouble(2);
    count = in.getLong(3);
  }
}
