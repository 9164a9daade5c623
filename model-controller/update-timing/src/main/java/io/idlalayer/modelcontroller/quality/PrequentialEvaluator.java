package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.quality.metrics.ClassAnswer;
import io.idlalayer.modelcontroller.quality.metrics.ClassNumbers;
import io.idlalayer.modelcontroller.quality.metrics.TargetAnswer;
import org.jspecify.annotations.Nullable;

/**
 * Adds up test-then-train results of a model and of two references that any model should beat:
 * predicting the previous label, and predicting the most frequent label so far. The references see
 * the labels of all arrivals, and are judged on the same samples as the model. Means are weighted
 * by the samples' importance, and the most frequent label is the one with the largest sum of
 * weights. Confined to one thread.
 *
 * <p>All sums stay finite. The log loss of a sample with a class is at most {@link #MOST_LOG_LOSS}.
 * A class prediction that is not finite counts as wrong, with the largest loss, and with full
 * confidence in a wrong class. A target prediction that is not finite has no error, so its sample
 * counts as unscored. A target outside the range that the model was trained for is clamped to this
 * range, as in the training loss. The previous label, which the no-change reference predicts, is
 * clamped in the same way.
 */
public final class PrequentialEvaluator {
  /** Largest log loss of one sample: the log loss of a label with the probability 1e-7. */
  public static final double MOST_LOG_LOSS = -Math.log(1e-7);

  /** Largest target. The squared error of two such targets is always finite. */
  private static final double MOST_TARGET = 1e150;

  private static final StateFormat FORMAT = StateFormat.first("prequential evaluation");

  private static final int REFERENCES = 4;
  private static final int QUALITIES = REFERENCES + ReferenceLabels.FIELDS;

  private final Label of;
  private final ReferenceLabels references;
  private final ClassQualities classes;
  private final TargetQualities targets;
  private long scored;
  private double weight;
  private long unscored;

  /** The summary of the results so far; null if results have changed after the last summary. */
  private @Nullable PrequentialSummary summary;

  /** Creates an evaluator of models that are trained for no quantile. */
  public PrequentialEvaluator(Label label) {
    this(label, Double.NaN);
  }

  /**
   * @param label label of the samples
   * @param level level of the quantile that the models are trained for; NaN if there is none
   */
  public PrequentialEvaluator(Label label, double level) {
    of = label;
    targets = new TargetQualities(level);
    references = new ReferenceLabels(label.task());
    classes = new ClassQualities(label.classes());
  }

  /**
   * Adds the next label of the stream; {@link #noChangeLabel} and {@link #majorityLabel} then
   * return the predictions of the references for this label.
   *
   * @param weight importance weight of its sample, at least 0
   */
  public void label(double label, double weight) {
    references.add(label, weight);
  }

  /**
   * Returns the prediction of the no-change reference for the label that was added last; NaN for
   * the first label.
   */
  public double noChangeLabel() {
    return references.noChange();
  }

  /**
   * Returns the prediction of the majority reference for the label that was added last; NaN for the
   * first label.
   */
  public double majorityLabel() {
    return references.majority();
  }

  /** Counts samples that were not scored. */
  public void unscored(int count) {
    unscored += count;
    summary = null;
  }

  /**
   * Returns whether a sample counts as scored, if scoring of its batch did not fail: a target whose
   * prediction is not finite does not count.
   */
  public boolean counts(ScoredBatch batch, int index) {
    return of.task() == Task.CLASSIFICATION || finite(batch, index);
  }

  private static boolean finite(ScoredBatch batch, int index) {
    return Float.isFinite(batch.losses()[index]) && Double.isFinite(batch.predicted()[index]);
  }

  /** Adds the results of a batch; the samples of a batch whose scoring failed count as unscored. */
  public void scored(ScoredBatch batch) {
    int samples = batch.sampleIds().length;
    summary = null;
    if (!batch.failure().isEmpty()) {
      unscored += samples;
      return;
    }
    for (int i = 0; i < samples; i++) {
      boolean finite = finite(batch, i);
      if (of.task() == Task.CLASSIFICATION) {
        classes.add(finite ? answer(batch, i) : wild(batch.batch(), i));
      } else if (finite) {
        targets.add(target(batch, i));
      } else {
        unscored++;
        continue;
      }
      scored++;
      weight += batch.batch().samples().get(i).weight();
    }
  }

  private static ClassAnswer answer(ScoredBatch scoredBatch, int i) {
    ScoringBatch batch = scoredBatch.batch();
    return new ClassAnswer(
        (int) batch.samples().get(i).label(),
        (int) scoredBatch.predicted()[i],
        classOf(batch.noChange()[i]),
        classOf(batch.majority()[i]),
        Math.min(MOST_LOG_LOSS, scoredBatch.losses()[i]),
        scoredBatch.confidence().probabilities()[i],
        scoredBatch.confidence().ranks()[i],
        batch.samples().get(i).weight());
  }

  /**
   * Returns the answer that stands for a prediction that is not finite: a wrong class with full
   * confidence.
   */
  private ClassAnswer wild(ScoringBatch batch, int i) {
    int label = (int) batch.samples().get(i).label();
    boolean binary = of.classes().size() == 2;
    return new ClassAnswer(
        label,
        ClassAnswer.NONE,
        classOf(batch.noChange()[i]),
        classOf(batch.majority()[i]),
        MOST_LOG_LOSS,
        binary ? 1 - label : 1,
        Math.max(0, of.classes().size() - 1),
        batch.samples().get(i).weight());
  }

  private static int classOf(double predicted) {
    return Double.isNaN(predicted) ? ClassAnswer.NONE : (int) predicted;
  }

  /**
   * Returns the answer to a target. The error is computed from the prediction and not from the
   * loss: the loss has 32 bits and an upper bound, so it is not exact for very large and very small
   * targets, and it is not always a squared error.
   */
  private static TargetAnswer target(ScoredBatch scoredBatch, int i) {
    return new TargetAnswer(
        scoredBatch.targets()[i],
        scoredBatch.predicted()[i],
        finite(scoredBatch.batch().noChange()[i]),
        scoredBatch.batch().samples().get(i).weight());
  }

  /** Returns the previous label; NaN if its square would not be finite. */
  private static double finite(double noChange) {
    return Math.abs(noChange) <= MOST_TARGET ? noChange : Double.NaN;
  }

  /** Returns the results of the model and of the references since the stream began. */
  public PrequentialSummary summary() {
    PrequentialSummary known = summary;
    if (known == null) {
      known = addedUp();
      summary = known;
    }
    return known;
  }

  private PrequentialSummary addedUp() {
    if (!(weight > 0)) {
      return new PrequentialSummary(scored, unscored, null, null);
    }
    return of.task() == Task.CLASSIFICATION
        ? new PrequentialSummary(scored, unscored, classes.summary(), null)
        : new PrequentialSummary(scored, unscored, null, targets.summary());
  }

  /** Returns the whole state as bytes for {@link #restore}. */
  public byte[] snapshot() {
    StateWriter out = FORMAT.writer().putLong(1, scored).putLong(2, unscored).putDouble(3, weight);
    references.write(out, REFERENCES);
    return of.task() == Task.CLASSIFICATION
        ? classes.write(out, QUALITIES).bytes()
        : targets.write(out, QUALITIES).bytes();
  }

  /**
   * Replaces all results by the results in a snapshot.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    summary = null;
    scored = in.getLong(1);
    unscored = in.getLong(2);
    weight = in.getDouble(3);
    references.read(in, REFERENCES);
    if (of.task() == Task.CLASSIFICATION) {
      classes.read(in, QUALITIES);
    } else {
      targets.read(in, QUALITIES);
    }
  }

  /**
   * Adapts to a change of the classes; called after {@link #restore}. The numbers of single classes
   * stay for the classes that still exist, and the means stay. AUC and calibration begin anew if
   * their probabilities belong to another class than before the change.
   *
   * @param change for each present class, the class from which it comes
   */
  public void changed(ColumnMap change) {
    if (of.task() == Task.CLASSIFICATION && !change.isUnchanged()) {
      ClassNumbers numbers = new ClassNumbers(change);
      references.changed(numbers);
      classes.changed(numbers);
      summary = null;
    }
  }
}
