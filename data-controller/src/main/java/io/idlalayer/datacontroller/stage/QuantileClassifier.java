package io.idlalayer.datacontroller.stage;

import io.idlalayer.middleware.sample.LifeStage;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Preserve at or above the 0.75 quantile of the scores of the last 20 updates, Discard below the
 * 0.25 quantile, else Mature; a sample leaves its stage only if it passes the quantile by 0.05, so
 * that scores of any scale have a hysteresis (specs, iDlaLayer 1.2 point 5). Of a large update an
 * even selection of scores is remembered.
 */
public final class QuantileClassifier implements StageClassifier {
  static final int UPDATES = 20;
  static final int SCORES_PER_UPDATE = 512;
  static final float HYSTERESIS = 0.05f;

  private static final byte VERSION = 1;
  private static final double PRESERVE_QUANTILE = 0.75;
  private static final double DISCARD_QUANTILE = 0.25;

  private final Deque<float[]> window = new ArrayDeque<>();
  private Thresholds thresholds = Thresholds.around(1, 0, HYSTERESIS);

  /**
   * Where the stages begin, seen from each stage.
   *
   * @param preserveFrom from Newborn, from Mature, from Preserve
   * @param discardBelow from Newborn, from Mature, from Discard
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

  private Thresholds thresholds() {
    int count = window.stream().mapToInt(scores -> scores.length).sum();
    float[] all = new float[count];
    int at = 0;
    for (float[] scores : window) {
      System.arraycopy(scores, 0, all, at, scores.length);
      at += scores.length;
    }
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
    int floats = window.stream().mapToInt(scores -> 1 + scores.length).sum();
    ByteBuffer out = ByteBuffer.allocate(2 + 4 * floats);
    out.put(VERSION).put((byte) window.size());
    for (float[] scores : window) {
      out.putInt(scores.length);
      for (float score : scores) {
        out.putFloat(score);
      }
    }
    return out.array();
  }

  @Override
  public void restore(byte[] snapshot) {
    ByteBuffer in = ByteBuffer.wrap(snapshot);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "classifier snapshot has version %d, this program reads %d".formatted(version, VERSION));
    }
    window.clear();
    int updates = in.get();
    for (int i = 0; i < updates; i++) {
      float[] scores = new float[in.getInt()];
      for (int k = 0; k < scores.length; k++) {
        scores[k] = in.getFloat();
      }
      window.addLast(scores);
    }
    if (!window.isEmpty()) {
      thresholds = thresholds();
    }
  }
}
