package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelloader.serve.TaskModel;
import java.util.List;

/**
 * Computes the quality of a model on labelled samples that it has not been trained on. Means are
 * weighted by the samples' importance. A prediction that is not a finite number is a wrong one of
 * {@link PrequentialEvaluator#MOST_LOG_LOSS} for a class; for a target it is left out of the means
 * of errors, and counted. Confined to one thread.
 */
public final class HoldoutEvaluation {
  private final TaskModel model;
  private final Task task;
  private long samples;
  private long notFinite;
  private double weight;
  private double measured;
  private double correct;
  private double lossSum;
  private double absoluteSum;

  public HoldoutEvaluation(TaskModel model, Task task) {
    this.model = model;
    this.task = task;
  }

  /**
   * The quality on all samples so far.
   *
   * @param accuracy classification only, else 0
   * @param meanLoss mean -ln p(label), or mean squared error, in which an outlying target counts as
   *     one at the edge of the range that the model was trained for
   * @param meanAbsoluteError regression only, else 0; in full
   * @param notFinite targets without a finite prediction, which the means leave out
   */
  public record Result(
      long samples, double accuracy, double meanLoss, double meanAbsoluteError, long notFinite) {}

  /** Adds labelled samples; a few hundred at a time are best. */
  public void add(List<Sample> labelled) {
    double[][] predictions = model.predict(labelled);
    float[] losses = model.losses(labelled, predictions);
    for (int i = 0; i < losses.length; i++) {
      samples++;
      double label = labelled.get(i).label();
      double count = labelled.get(i).weight();
      weight += count;
      boolean finite = Float.isFinite(losses[i]);
      if (task == Task.CLASSIFICATION) {
        measured += count;
        lossSum += count * (finite ? losses[i] : PrequentialEvaluator.MOST_LOG_LOSS);
        correct += finite && ScoredBatch.mostProbable(predictions[i]) == (int) label ? count : 0;
      } else if (finite) {
        measured += count;
        lossSum += count * losses[i];
        absoluteSum += count * Math.abs(predictions[i][0] - label);
      } else {
        notFinite++;
      }
    }
  }

  public Result result() {
    return new Result(
        samples,
        share(correct, weight),
        share(lossSum, measured),
        share(absoluteSum, measured),
        notFinite);
  }

  private static double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
  }
}
