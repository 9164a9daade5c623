package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Classification;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Regression;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Adds up test-then-train results of a model and of two references that any model must beat:
 * predicting the previous label, and predicting the most frequent label so far. Both see the labels
 * of all arrivals and are judged on the same samples as the model. Confined to one thread.
 *
 * <p>All sums stay finite. The loss of a class is at most {@link #MOST_LOG_LOSS}. A class
 * prediction that is not finite counts as wrong, with that loss. A target prediction that is not
 * finite has no error, so its sample counts as unscored. A target outside the range that the model
 * was trained for is clamped to that range, as it is in the training loss, and so is the label
 * before it.
 */
public final class PrequentialEvaluator {
  /** Largest log loss of one sample, that of the probability 1e-7. */
  public static final double MOST_LOG_LOSS = -Math.log(1e-7);

  private static final StateFormat FORMAT = StateFormat.first("prequential evaluation");

  /** Number of the first state field with counts of classes. */
  private static final int CLASSES = 16;

  private final Task task;
  private final Map<Integer, Long> labelCounts = new HashMap<>();
  private double lastLabel = Double.NaN;
  private double majorityLabel = Double.NaN;
  private long majorityCount;
  private double noChangeBefore = Double.NaN;
  private double majorityBefore = Double.NaN;

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
  private final ClassCounts classes;

  /**
   * @param label label of the samples
   */
  public PrequentialEvaluator(Label label) {
    task = label.task();
    classes = new ClassCounts(label.classes());
  }

  /**
   * Adds the next label of the stream; {@link #noChangeLabel} and {@link #majorityLabel} then
   * return the predictions of the references for it.
   */
  public void label(double label) {
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

  /**
   * Returns the label that the no-change reference predicted for the last label; NaN for the first
   * one.
   */
  public double noChangeLabel() {
    return noChangeBefore;
  }

  /**
   * Returns the label that the majority reference predicted for the last label; NaN for the first
   * one.
   */
  public double majorityLabel() {
    return majorityBefore;
  }

  /** Counts samples that were not scored. */
  public void unscored(int count) {
    unscored += count;
  }

  /** Adds the results of a batch; the samples of a batch whose scoring failed count as unscored. */
  public void scored(ScoredBatch scoredBatch) {
    ScoringBatch batch = scoredBatch.batch();
    if (!scoredBatch.failure().isEmpty()) {
      unscored += batch.sampleIds().length;
      return;
    }
    for (int i = 0; i < batch.sampleIds().length; i++) {
      double label = batch.samples().get(i).label();
      double predicted = scoredBatch.predicted()[i];
      float loss = scoredBatch.losses()[i];
      if (task == Task.CLASSIFICATION) {
        boolean wild = !Float.isFinite(loss) || !Double.isFinite(predicted);
        lossSum += wild ? MOST_LOG_LOSS : Math.min(MOST_LOG_LOSS, loss);
        classified(label, wild ? Double.NaN : predicted, batch.noChange()[i], batch.majority()[i]);
      } else if (!Float.isFinite(loss) || !Double.isFinite(predicted)) {
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
  private void regressed(double label, double predicted, float loss, double noChange) {
    lossSum += loss;
    double error = predicted - label;
    double counted = Math.min(Math.abs(error), Math.sqrt(loss));
    absoluteSum += counted;
    squaredSum += counted * counted;
    if (!Double.isNaN(noChange)) {
      double countedLabel = predicted - Math.signum(error) * counted;
      noChangeAbsoluteSum += Math.abs(noChange - countedLabel);
      noChangeCount++;
    }
  }

  private void classified(double label, double predicted, double noChange, double majority) {
    boolean hit = predicted == label;
    classes.add(label, predicted, noChange, majority);
    correct += hit ? 1 : 0;
    noChangeCorrect += noChange == label ? 1 : 0;
    majorityCorrect += majority == label ? 1 : 0;
  }

  /** Returns the results since the stream began, those of the references included. */
  public PrequentialSummary summary() {
    if (scored == 0) {
      return new PrequentialSummary(0, unscored, null, null);
    }
    return task == Task.CLASSIFICATION
        ? new PrequentialSummary(scored, unscored, classification((double) scored), null)
        : new PrequentialSummary(scored, unscored, null, regression((double) scored));
  }

  private Classification classification(double n) {
    return new Classification(
        lossSum / n,
        correct / n,
        classes.recentAccuracy(),
        noChangeCorrect / n,
        majorityCorrect / n,
        classes.recentNoChangeAccuracy(),
        classes.recentMajorityAccuracy(),
        classes.summaries());
  }

  private Regression regression(double n) {
    return new Regression(
        absoluteSum / n,
        Math.sqrt(squaredSum / n),
        noChangeCount == 0 ? 0 : noChangeAbsoluteSum / noChangeCount);
  }

  /** Returns the whole state as bytes for {@link #restore}. */
  public byte[] snapshot() {
    int[] labels = new int[labelCounts.size()];
    long[] counts = new long[labels.length];
    int at = 0;
    for (Map.Entry<Integer, Long> entry : new TreeMap<>(labelCounts).entrySet()) {
      labels[at] = entry.getKey();
      counts[at++] = entry.getValue();
    }
    StateWriter out =
        FORMAT
            .writer()
            .putLong(1, scored)
            .putLong(2, unscored)
            .putLong(3, correct)
            .putLong(4, noChangeCorrect)
            .putLong(5, majorityCorrect)
            .putLong(6, noChangeCount)
            .putDouble(7, lossSum)
            .putDouble(8, absoluteSum)
            .putDouble(9, squaredSum)
            .putDouble(10, noChangeAbsoluteSum)
            .putLong(11, majorityCount)
            .putDouble(12, lastLabel)
            .putDouble(13, majorityLabel)
            .putInts(14, labels)
            .putLongs(15, counts);
    return classes.write(out, CLASSES).bytes();
  }

  /**
   * Replaces all results by those of a snapshot.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is no such snapshot
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    int[] labels = in.getInts(14);
    long[] counts = in.getLongs(15);
    if (labels.length != counts.length) {
      throw in.refused("%d labels have %d counts".formatted(labels.length, counts.length));
    }
    scored = in.getLong(1);
    unscored = in.getLong(2);
    correct = in.getLong(3);
    noChangeCorrect = in.getLong(4);
    majorityCorrect = in.getLong(5);
    noChangeCount = in.getLong(6);
    lossSum = in.getDouble(7);
    absoluteSum = in.getDouble(8);
    squaredSum = in.getDouble(9);
    noChangeAbsoluteSum = in.getDouble(10);
    majorityCount = in.getLong(11);
    lastLabel = in.getDouble(12);
    majorityLabel = in.getDouble(13);
    labelCounts.clear();
    for (int i = 0; i < labels.length; i++) {
      labelCounts.put(labels[i], counts[i]);
    }
    classes.read(in, CLASSES);
  }
}
