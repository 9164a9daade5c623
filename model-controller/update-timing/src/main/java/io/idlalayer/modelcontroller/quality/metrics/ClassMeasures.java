package io.idlalayer.modelcontroller.quality.metrics;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.List;

/**
 * Adds up the answers to classified samples. An object takes 48 KiB, and 96 bytes for each class.
 * Confined to one thread.
 */
public final class ClassMeasures {
  /** Number of fields that {@link #write} uses. */
  public static final int FIELDS = 4 * ClassTally.FIELDS + ScoreHistogram.FIELDS + 1;

  private final int classes;
  private final ClassTally model = new ClassTally();

  /** Counts of the predictions of the model, in which each sample counts 1. */
  private final ClassTally counts = new ClassTally();

  private final ClassTally noChange = new ClassTally();
  private final ClassTally majority = new ClassTally();
  private final ScoreHistogram scores = new ScoreHistogram();
  private double lossSum;
  private double amongThree;
  private double amongFive;
  private double ranked;

  /**
   * @param classes number of classes of the label
   */
  public ClassMeasures(int classes) {
    this.classes = classes;
  }

  /** Adds the answers to one sample. */
  public void add(ClassAnswer answer) {
    int label = answer.label();
    double weight = answer.weight();
    counts.add(label, answer.predicted(), 1);
    if (weight == 0) {
      return;
    }
    model.add(label, answer.predicted(), weight);
    noChange.add(label, answer.noChange(), weight);
    majority.add(label, answer.majority(), weight);
    lossSum += weight * answer.logLoss();
    if (!Double.isNaN(answer.probability())) {
      boolean came = binary() ? label == 1 : answer.predicted() == label;
      scores.add(answer.probability(), came, weight);
    }
    if (answer.rank() != ClassAnswer.NONE) {
      ranked += weight;
      amongThree += answer.rank() < 3 ? weight : 0;
      amongFive += answer.rank() < 5 ? weight : 0;
    }
  }

  /** Adds all samples of other measures with the same number of classes. */
  public void add(ClassMeasures other) {
    model.add(other.model);
    counts.add(other.counts);
    noChange.add(other.noChange);
    majority.add(other.majority);
    scores.add(other.scores);
    lossSum += other.lossSum;
    ranked += other.ranked;
    amongThree += other.amongThree;
    amongFive += other.amongFive;
  }

  /**
   * Adapts to a change of the classes. Samples of classes that no longer exist are dropped, and the
   * mean loss stays. The statistics of probabilities begin anew if the probabilities belong to
   * another class than before the change.
   */
  public void changed(ClassNumbers numbers) {
    double weight = model.weight();
    model.changed(numbers);
    counts.changed(numbers);
    noChange.changed(numbers);
    majority.changed(numbers);
    lossSum = weight == 0 ? 0 : lossSum / weight * model.weight();
    if (!numbers.sameScores()) {
      scores.clear();
    }
  }

  /** Forgets all samples. */
  public void clear() {
    model.clear();
    counts.clear();
    noChange.clear();
    majority.clear();
    scores.clear();
    lossSum = 0;
    ranked = 0;
    amongThree = 0;
    amongFive = 0;
  }

  private boolean binary() {
    return classes == 2;
  }

  /** Returns the numbers of samples by class and predicted class, whatever their weights are. */
  public ClassTally counts() {
    return counts;
  }

  /** Returns the calibration curve, by rising probability; empty if no probability is known. */
  public List<CalibrationBin> calibration() {
    return scores.curve();
  }

  /** Returns the mean log loss in nats; 0 before the first sample. */
  public double logLoss() {
    double weight = model.weight();
    return weight == 0 ? 0 : lossSum / weight;
  }

  /** Returns the accuracy of the model, 0 to 1; 0 before the first sample. */
  public double accuracy() {
    return model.accuracy();
  }

  /** Returns the accuracy of the no-change reference; 0 before the first sample. */
  public double noChangeAccuracy() {
    return noChange.accuracy();
  }

  /** Returns the accuracy of the majority reference; 0 before the first sample. */
  public double majorityAccuracy() {
    return majority.accuracy();
  }

  /** Returns the metrics of the samples so far, except accuracy and log loss. */
  public ClassMetrics metrics() {
    double entropy = model.entropy();
    return new ClassMetrics(
        LabelMetrics.of(model, binary()),
        LabelMetrics.of(noChange, binary()),
        LabelMetrics.of(majority, binary()),
        model.gainedOver(majority),
        model.gainedOver(noChange),
        entropy,
        Weights.quotient(logLoss(), entropy),
        binary() ? scores.area() : null,
        binary() ? scores.areaError() : null,
        scores.calibration(),
        classes > 3 ? Weights.quotient(amongThree, ranked) : null,
        classes > 5 ? Weights.quotient(amongFive, ranked) : null);
  }

  /** Writes the sums to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  public StateWriter write(StateWriter out, int from) {
    model.write(out, from);
    noChange.write(out, from + ClassTally.FIELDS);
    majority.write(out, from + 2 * ClassTally.FIELDS);
    counts.write(out, from + 3 * ClassTally.FIELDS);
    scores.write(out, from + 4 * ClassTally.FIELDS);
    return out.putDoubles(from + FIELDS - 1, new double[] {lossSum, ranked, amongThree, amongFive});
  }

  /** Reads the fields that {@link #write} has written. */
  public void read(StateReader in, int from) {
    model.read(in, from);
    noChange.read(in, from + ClassTally.FIELDS);
    majority.read(in, from + 2 * ClassTally.FIELDS);
    counts.read(in, from + 3 * ClassTally.FIELDS);
    scores.read(in, from + 4 * ClassTally.FIELDS);
    double[] sums = in.getDoubles(from + FIELDS - 1, 4);
    lossSum = sums[0];
    ranked = sums[1];
    amongThree = sums[2];
    amongFive = sums[3];
  }
}
