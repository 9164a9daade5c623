package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.sample.SampleSchema.Task;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Adds up test-then-train results beside two lines that any model must beat: predicting the label
 * before, and predicting the most frequent label so far. Both see the labels of all arrivals and
 * are judged on the same samples as the model. Confined to one thread.
 *
 * <p>All sums stay finite. The loss of a class is at most {@link #MOST_LOG_LOSS}. A prediction that
 * is no finite number is a wrong one of that loss for a class; for a target, of which no error can
 * be given, the sample counts as unscored. An outlying target is judged as one at the edge of the
 * range that the model was trained for, as its loss is, and so is the label before it.
 */
public final class PrequentialEvaluator {
  /** -ln of the least probability that counts, 1e-7. */
  public static final double MOST_LOG_LOSS = -Math.log(1e-7);

  static final int WINDOW = 1_000;
  private static final byte VERSION = 1;

  private final Task task;
  private final Map<Integer, Long> labelCounts = new HashMap<>();
  private float lastLabel = Float.NaN;
  private float majorityLabel = Float.NaN;
  private long majorityCount;
  private float noChangeBefore = Float.NaN;
  private float majorityBefore = Float.NaN;

  private long scored;
  private long unscored;
  private long correct;
  private long noChangeCorrect;
  private long majorityCorrect;
  private double lossSum;
  private double absoluteSum;
  private double squaredSum;
  private double noChangeAbsoluteSum;
  private long noChangeCount;
  private final BitSet window = new BitSet(WINDOW);

  public PrequentialEvaluator(Task task) {
    this.task = task;
  }

  /**
   * Takes the next label of the stream; {@link #noChangeLabel} and {@link #majorityLabel} then say
   * what the reference lines predicted for it.
   */
  public void label(float label) {
    noChangeBefore = lastLabel;
    majorityBefore = majorityLabel;
    lastLabel = label;
    if (task == Task.CLASSIFICATION) {
      long count = labelCounts.merge((int) label, 1L, Long::sum);
      if (count > majorityCount) {
        majorityCount = count;
        majorityLabel = label;
      }
    }
  }

  /** What was predicted for the last label by no change; NaN for the first. */
  public float noChangeLabel() {
    return noChangeBefore;
  }

  /** What was predicted for the last label by majority; NaN for the first. */
  public float majorityLabel() {
    return majorityBefore;
  }

  /** Samples that were passed over. */
  public void unscored(int count) {
    unscored += count;
  }

  /** Adds a batch that came back; a failed one counts as unscored. */
  public void scored(ScoredBatch scoredBatch) {
    ScoringBatch batch = scoredBatch.batch();
    if (!scoredBatch.failure().isEmpty()) {
      unscored += batch.sampleIds().length;
      return;
    }
    for (int i = 0; i < batch.sampleIds().length; i++) {
      float label = batch.samples().get(i).label();
      float predicted = scoredBatch.predicted()[i];
      float loss = scoredBatch.losses()[i];
      if (task == Task.CLASSIFICATION) {
        boolean wild = !Float.isFinite(loss) || !Float.isFinite(predicted);
        lossSum += wild ? MOST_LOG_LOSS : Math.min(MOST_LOG_LOSS, loss);
        classified(label, wild ? Float.NaN : predicted, batch.noChange()[i], batch.majority()[i]);
      } else if (!Float.isFinite(loss) || !Float.isFinite(predicted)) {
        unscored++;
        continue;
      } else {
        regressed(label, predicted, loss, batch.noChange()[i]);
      }
      scored++;
    }
  }

  /**
   * @param loss squared error, in which an outlying label counts as less
   */
  private void regressed(float label, float predicted, float loss, float noChange) {
    lossSum += loss;
    double error = (double) predicted - label;
    double counted = Math.min(Math.abs(error), Math.sqrt(loss));
    absoluteSum += counted;
    squaredSum += counted * counted;
    if (!Float.isNaN(noChange)) {
      double countedLabel = predicted - Math.signum(error) * counted;
      noChangeAbsoluteSum += Math.abs(noChange - countedLabel);
      noChangeCount++;
    }
  }

  private void classified(float label, float predicted, float noChange, float majority) {
    boolean hit = predicted == label;
    window.set((int) (scored % WINDOW), hit);
    correct += hit ? 1 : 0;
    noChangeCorrect += noChange == label ? 1 : 0;
    majorityCorrect += majority == label ? 1 : 0;
  }

  public PrequentialSummary summary() {
    if (scored == 0) {
      return new PrequentialSummary(0, unscored, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    boolean classification = task == Task.CLASSIFICATION;
    double n = scored;
    double logLoss = classification ? lossSum / n : 0;
    return new PrequentialSummary(
        scored,
        unscored,
        correct / n,
        logLoss,
        classification ? Math.exp(logLoss) : 0,
        noChangeCorrect / n,
        majorityCorrect / n,
        absoluteSum / n,
        Math.sqrt(squaredSum / n),
        noChangeCount == 0 ? 0 : noChangeAbsoluteSum / noChangeCount,
        window.cardinality() / (double) Math.min(scored, WINDOW));
  }

  /** Everything, versioned. */
  public byte[] snapshot() {
    byte[] recent = window.toByteArray();
    ByteBuffer out =
        ByteBuffer.allocate(1 + 8 * 11 + 4 * 2 + 4 + labelCounts.size() * 12 + recent.length);
    out.put(VERSION);
    out.putLong(scored).putLong(unscored).putLong(correct);
    out.putLong(noChangeCorrect).putLong(majorityCorrect).putLong(noChangeCount);
    out.putDouble(lossSum).putDouble(absoluteSum).putDouble(squaredSum);
    out.putDouble(noChangeAbsoluteSum).putLong(majorityCount);
    out.putFloat(lastLabel).putFloat(majorityLabel).putInt(labelCounts.size());
    labelCounts.forEach((label, count) -> out.putInt(label).putLong(count));
    return out.put(recent).array();
  }

  /** Takes {@link #snapshot()} back. */
  public void restore(byte[] snapshot) {
    ByteBuffer in = ByteBuffer.wrap(snapshot);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "evaluation snapshot has version %d, this program reads %d".formatted(version, VERSION));
    }
    scored = in.getLong();
    unscored = in.getLong();
    correct = in.getLong();
    noChangeCorrect = in.getLong();
    majorityCorrect = in.getLong();
    noChangeCount = in.getLong();
    lossSum = in.getDouble();
    absoluteSum = in.getDouble();
    squaredSum = in.getDouble();
    noChangeAbsoluteSum = in.getDouble();
    majorityCount = in.getLong();
    lastLabel = in.getFloat();
    majorityLabel = in.getFloat();
    int labels = in.getInt();
    labelCounts.clear();
    for (int i = 0; i < labels; i++) {
      labelCounts.put(in.getInt(), in.getLong());
    }
    window.clear();
    window.or(BitSet.valueOf(in.slice()));
  }
}
