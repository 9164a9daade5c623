package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelcontroller.quality.Confidence;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.ReferenceLabels;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.metrics.CalibrationBin;
import io.idlalayer.modelcontroller.quality.metrics.ClassAnswer;
import io.idlalayer.modelcontroller.quality.metrics.ClassMeasures;
import io.idlalayer.modelcontroller.quality.metrics.ClassMetrics;
import io.idlalayer.modelcontroller.quality.metrics.TargetAnswer;
import io.idlalayer.modelcontroller.quality.metrics.TargetErrors;
import io.idlalayer.modelcontroller.quality.metrics.TargetMeasures;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import io.idlalayer.modelloader.serve.TaskModel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Computes the quality of a model, and of the references of the prequential evaluation, on labelled
 * samples on which the model was not trained. Means are weighted by the samples' importance. A
 * class prediction that is not finite counts as wrong, with the loss {@link
 * PrequentialEvaluator#MOST_LOG_LOSS}. A target prediction that is not finite is counted, but left
 * out of the mean errors. Errors of targets are not clamped. Confined to one thread.
 */
public final class HoldoutEvaluation {
  private final TaskModel model;
  private final Label of;
  private final double level;
  private final ReferenceLabels references;
  private final ClassMeasures classes;
  private final TargetMeasures targets = new TargetMeasures();
  private long samples;
  private long notFinite;
  private double measured;
  private double lossSum;

  /** Creates an evaluation of a model that is trained for no quantile. */
  public HoldoutEvaluation(TaskModel model, Label label) {
    this(model, label, Double.NaN);
  }

  /**
   * @param label label of the samples
   * @param level level of the quantile that the model is trained for; NaN if there is none
   */
  public HoldoutEvaluation(TaskModel model, Label label, double level) {
    this.model = model;
    this.level = level;
    of = label;
    references = new ReferenceLabels(label.task());
    classes = new ClassMeasures(label.classes().size());
  }

  /**
   * The quality on all samples so far.
   *
   * @param meanLoss for classes, the mean of -ln p(label); for targets, the mean of the loss that
   *     the training minimises, in which an outlying target is replaced by the nearest end of the
   *     range that the model was trained for
   * @param notFinite number of targets without a finite prediction; the means leave these out
   * @param classification quality of predicted classes; null for targets
   * @param regression quality of predicted targets; null for classes
   */
  public record Result(
      long samples,
      double meanLoss,
      long notFinite,
      @Nullable Classification classification,
      @Nullable Regression regression) {}

  /**
   * The quality of predicted classes.
   *
   * @param calibration calibration curve, by rising probability
   */
  public record Classification(
      double accuracy,
      double noChangeAccuracy,
      double majorityAccuracy,
      double logLoss,
      ClassMetrics metrics,
      List<CalibrationBin> calibration) {}

  /** The quality of predicted targets, in units of the label. */
  public record Regression(
      double meanAbsoluteError,
      double rootMeanSquaredError,
      double noChangeMeanAbsoluteError,
      TargetMetrics metrics) {}

  /** Adds labelled samples in their order. Calls with a few hundred samples each are fastest. */
  public void add(List<Sample> labelled) {
    double[][] predictions = model.predict(labelled);
    float[] losses = model.losses(labelled, predictions);
    Confidence confidence = Confidence.of(labelled, predictions);
    for (int i = 0; i < losses.length; i++) {
      samples++;
      double label = labelled.get(i).label();
      double weight = labelled.get(i).weight();
      references.add(label, weight);
      boolean finite = Float.isFinite(losses[i]);
      if (of.task() == Task.CLASSIFICATION) {
        double loss = finite ? losses[i] : PrequentialEvaluator.MOST_LOG_LOSS;
        lossSum += weight * loss;
        measured += weight;
        int predicted = finite ? ScoredBatch.mostProbable(predictions[i]) : ClassAnswer.NONE;
        classes.add(
            new ClassAnswer(
                (int) label,
                predicted,
                classOf(references.noChange()),
                classOf(references.majority()),
                loss,
                finite ? confidence.probabilities()[i] : wrong((int) label),
                finite ? confidence.ranks()[i] : of.classes().size() - 1,
                weight));
      } else if (finite && Double.isFinite(predictions[i][0])) {
        lossSum += weight * losses[i];
        measured += weight;
        targets.add(new TargetAnswer(label, predictions[i][0], references.noChange(), weight));
      } else {
        notFinite++;
      }
    }
  }

  /** Returns the probability that a model with full confidence in the wrong class would give. */
  private double wrong(int label) {
    return of.classes().size() == 2 ? 1 - label : 1;
  }

  private static int classOf(double label) {
    return Double.isNaN(label) ? ClassAnswer.NONE : (int) label;
  }

  public Result result() {
    double meanLoss = measured > 0 ? lossSum / measured : 0;
    return of.task() == Task.CLASSIFICATION
        ? new Result(samples, meanLoss, notFinite, classification(), null)
        : new Result(samples, meanLoss, notFinite, null, regression());
  }

  private Classification classification() {
    return new Classification(
        classes.accuracy(),
        classes.noChangeAccuracy(),
        classes.majorityAccuracy(),
        classes.logLoss(),
        classes.metrics(),
        classes.calibration());
  }

  private Regression regression() {
    TargetErrors errors = targets.errors();
    return new Regression(
        errors.meanAbsolute(),
        errors.rootMeanSquared(),
        targets.noChangeErrors().meanAbsolute(),
        targets.metrics(level));
  }
}
