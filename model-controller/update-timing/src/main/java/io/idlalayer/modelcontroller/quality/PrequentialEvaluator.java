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
 * of all arrivals and are judged on the same samples as the model. Means are weighted by the
 * samples' importance, and the most frequent label is the one with the largest sum of weights.
 * Confined to one thread.
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

  /** Number of the first state field after those. */
  private static final int WEIGHTED = CLASSES + ClassCounts.FIELDS;

  private final Task task;
  private final Map<Integer, Double> labelWeights = new HashMap<>();
  private double lastLabel = Double.NaN;
  private double majorityLabel = Double.NaN;
  private double majorityWeight;
  private double noChangeBefore = Double.NaN;
  private double majorityBefore = Double.NaN;

  private long scored;
  private long unscored;
  private double weight;
  private double correct;
  private double noChangeCorrect;
  private double majorityCorrect;
  private double lossSum;
  private double absoluteSum;
  private double squaredSum;
  private double noChangeAbsoluteSum;
  private double noChangeWeight;
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
   *
   * @param weight importance weight of its sample, at least 0
   */
  public void label(double label, double weight) {
    noChangeBefore = lastLabel;
    majorityBefore = majorityLabel;
    lastLabel = label;
    if (task == Task.CLASSIFICATION) {
      double total = labelWeights.merge((int) label, weight, Double::sum);
      if (total > majorityWeight) {
        majorityWeight = total;
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
      double count = batch.samples().get(i).weight();
      double predicted = scoredBatch.predicted()[i];
      float loss = scoredBatch.losses()[i];
      if (task == Task.CLASSIFICATION) {
        boolean wild = !Float.isFinite(loss) || !Double.isFinite(predicted);
        lossSum += count * (wild ? MOST_LOG_LOSS : Math.min(MOST_LOG_LOSS, loss));
        classified(
            new ClassCounts.Answers(
                label,
                wild ? Double.NaN : predicted,
                batch.noChange()[i],
                batch.majority()[i],
                count));
      } else if (!Float.isFinite(loss) || !Double.isFinite(predicted)) {
        unscored++;
        continue;
      } else {
        regressed(label, predicted, loss, batch.noChange()[i], count);
      }
      scored++;
      weight += count;
    }
  }

  /**
   * @param loss squared error, in which an outlying label counts as less
   */
  private void regressed(
      double label, double predicted, float loss, double noChange, double count) {
    lossSum += count * loss;
    double error = predicted - label;
    double counted = Math.min(Math.abs(error), Math.sqrt(loss));
    absoluteSum += count * counted;
    squaredSum += count * counted * counted;
    if (!Double.isNaN(noChange)) {
      double countedLabel = predicted - Math.signum(error) * counted;
      noChangeAbsoluteSum += count * Math.abs(noChange - countedLabel);
      noChangeWeight += count;
    }
  }

  private void classified(ClassCounts.Answers answers) {
    double label = answers.label();
    classes.add(answers);
    correct += answers.predicted() == label ? answers.weight() : 0;
    noChangeCorrect += answers.noChange() == label ? answers.weight() : 0;
    majorityCorrect += answers.majority() == label ? answers.weight() : 0;
  }

  /** Returns the results since the stream began, those of the references included. */
  public PrequentialSummary summary() {
    if (!(weight > 0)) {
      return new PrequentialSummary(scored, unscored, null, null);
    }
    return task == Task.CLASSIFICATION
        ? new PrequentialSummary(scored, unscored, classification(weight), null)
        : new PrequentialSummary(scored, unscored, null, regression(weight));
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
        noChangeWeight > 0 ? noChangeAbsoluteSum / noChangeWeight : 0);
  }

  /** Returns the whole state as bytes for {@link #restore}. */
  public byte[] snapshot() {
    int[] labels = new int[labelWeights.size()];
    double[] weights = new double[labels.length];
    int at = 0;
    for (Map.Entry<Integer, Double> entry : new TreeMap<>(labelWeights).entrySet()) {
      labels[at] = entry.getKey();
      weights[at++] = entry.getValue();
    }
    StateWriter out =
        FORMAT
            .writer()
            .putLong(1, scored)
            .putLong(2, unscored)
            .putDouble(7, lossSum)
            .putDouble(8, absoluteSum)
            .putDouble(9, squaredSum)
            .putDouble(10, noChangeAbsoluteSum)
            .putDouble(12, lastLabel)
            .putDouble(13, majorityLabel)
            .putInts(14, labels);
    return classes
        .write(out, CLASSES)
        .putDouble(WEIGHTED, weight)
        .putDouble(WEIGHTED + 1, correct)
        .putDouble(WEIGHTED + 2, noChangeCorrect)
        .putDouble(WEIGHTED + 3, majorityCorrect)
        .putDouble(WEIGHTED + 4, noChangeWeight)
        .putDouble(WEIGHTED + 5, majorityWeight)
        .putDoubles(WEIGHTED + 6, weights)
        .bytes();
  }

  /**
   * Replaces all results by those of a snapshot.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is no such snapshot
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    int[] labels = in.getInts(14);
    double[] weights = in.getDoubles(WEIGHTED + 6);
    if (labels.length != weights.length) {
      throw in.refused("%d labels have %d weights".formatted(labels.length, weights.length));
    }
    scored = in.getLong(1);
    unscored = in.getLong(2);
    weight = in.getDouble(WEIGHTED);
    correct = in.getDouble(WEIGHTED + 1);
    noChangeCorrect = in.getDouble(WEIGHTED + 2);
    majorityCorrect = in.getDouble(WEIGHTED + 3);
    noChangeWeight = in.getDouble(WEIGHTED + 4);
    lossSum = in.getDouble(7);
    absoluteSum = in.getDouble(8);
    squaredSum = in.getDouble(9);
    noChangeAbsoluteSum = in.getDouble(10);
    majorityWeight = in.getDouble(WEIGHTED + 5);
    lastLabel = in.getDouble(12);
    majorityLabel = in.getDouble(13);
    labelWeights.clear();
    for (int i = 0; i < labels.length; i++) {
      labelWeights.put(labels[i], weights[i]);
    }
    classes.read(in, CLASSES);
  }
}
