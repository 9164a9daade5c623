package io.idlalayer.datacontroller.stage;

import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Classifies by quantiles of the scores of the last 20 updates: Preserve from the 0.75 quantile on,
 * Discard below the 0.25 quantile, else Mature; a sample leaves its stage only if it passes the
 * quantile by 0.05, so that scores of any scale have a hysteresis (specs, iDlaLayer 1.2 point 5).
 * If an update is large, only an evenly spaced selection of its scores is stored.
 */
final class QuantileClassifier implements StageClassifier {
  static final int UPDATES = 20;
  static final int SCORES_PER_UPDATE = 512;
  static final float HYSTERESIS = 0.05f;

  private static final StateFormat FORMAT = StateFormat.first("stage borders by quantiles");
  private static final double PRESERVE_QUANTILE = 0.75;
  private static final double DISCARD_QUANTILE = 0.25;

  private final Deque<float[]> window = new ArrayDeque<>();
  private Thresholds thresholds = Thresholds.around(1, 0, HYSTERESIS);

  /**
   * The scores at which samples become Preserve or Discard, for a sample in each stage.
   *
   * @param preserveFrom least scores for Preserve, for samples that are Newborn, Mature and
   *     Preserve
   * @param discardBelow scores below which samples become Discard, for samples that are Newborn,
   *     Mature and Discard
   */
  record Thresholds(float[] preserveFrom, float[] discardBelow) {
    static Thresholds around(float preserve, float discard, float hysteresis) {
      return new Thresholds(
          new float[] {preserve, preserve + hysteresis, preserve - hysteresis},
          new float[] {discard, discard - hysteresis, discard + hysteresis});
    }

    StageEvent classify(LifeStage stage, float score) {
      float preserve = preserveFrom[0];
      float discard = discardBelow[0];
      switch (stage) {
        case NEWBORN -> {}
        case MATURE -> {
          preserve = preserveFrom[1];
          discard = discardBelow[1];
        }
        case PRESERVE -> preserve = preserveFrom[2];
        case DISCARD -> discard = discardBelow[2];
      }
      if (score >= preserve) {
        return StageEvent.EVALUATED_PRESERVE;
      }
      return score < discard ? StageEvent.EVALUATED_DISCARD : StageEvent.EVALUATED_MATURE;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Thresholds o
          && Arrays.equals(preserveFrom, o.preserveFrom)
          && Arrays.equals(discardBelow, o.discardBelow);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(preserveFrom);
    }

    @Override
    public String toString() {
      return "Thresholds[preserve=%s, discard=%s]"
          .formatted(Arrays.toString(preserveFrom), Arrays.toString(discardBelow));
    }
  }

  @Override
  public void observe(float[] scores) {
    if (scores.length == 0) {
      return;
    }
    window.addLast(evenly(scores));
    if (window.size() > UPDATES) {
      window.removeFirst();
    }
    thresholds = thresholds();
  }

  private static float[] evenly(float[] scores) {
    float[] sorted = scores.clone();
    Arrays.sort(sorted);
    if (sorted.length <= SCORES_PER_UPDATE) {
      return sorted;
    }
    float[] chosen = new float[SCORES_PER_UPDATE];
    for (int i = 0; i < chosen.length; i++) {
      chosen[i] = sorted[(int) ((long) i * (sorted.length - 1) / (chosen.length - 1))];
    }
    return chosen;
  }

  /** Returns the stored scores of all updates, oldest update first. */
  private float[] all() {
    int count = window.stream().mapToInt(scores -> scores.length).sum();
    float[] all = new float[count];
    int at = 0;
    for (float[] scores : window) {
      System.arraycopy(scores, 0, all, at, scores.length);
      at += scores.length;
    }
    return all;
  }

  private Thresholds thresholds() {
    float[] all = all();
    Arrays.sort(all);
    return new Thresholds(
        new float[] {
          quantile(all, PRESERVE_QUANTILE),
          quantile(all, PRESERVE_QUANTILE + HYSTERESIS),
          quantile(all, PRESERVE_QUANTILE - HYSTERESIS)
        },
        new float[] {
          quantile(all, DISCARD_QUANTILE),
          quantile(all, DISCARD_QUANTILE - HYSTERESIS),
          quantile(all, DISCARD_QUANTILE + HYSTERESIS)
        });
  }

  private static float quantile(float[] sorted, double q) {
    return sorted[(int) Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  }

  @Override
  public StageEvent classify(LifeStage stage, float score) {
    return thresholds.classify(stage, score);
  }

  @Override
  public byte[] snapshot() {
    StateWriter out = FORMAT.writer();
    int[] counts = window.stream().mapToInt(scores -> scores.length).toArray();
    return out.putInts(1, counts).putFloats(2, all()).bytes();
  }

  @Override
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    int[] counts = in.getInts(1);
    float[] scores = in.getFloats(2);
    if (Arrays.stream(counts).asLongStream().sum() != scores.length) {
      throw in.refused(
          "field 2: %d scores of updates of %s".formatted(scores.length, Arrays.toString(counts)));
    }
    window.clear();
    int at = 0;
    for (int count : counts) {
      window.addLast(Arrays.copyOfRange(scores, at, at + count));
      at += count;
    }
    if (!window.isEmpty()) {
      thresholds = thresholds();
    }
  }
}
