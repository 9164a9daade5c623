package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelcontroller.training.TaskModel;
import java.util.List;

/** Adds up how a model does on labelled samples it has not seen. Confined to one thread. */
public final class HoldoutEvaluation {
  private final TaskModel model;
  private final Task task;
  private long samples;
  private long correct;
  private double lossSum;
  private double absoluteSum;

  public HoldoutEvaluation(TaskModel model, Task task) {
    this.model = model;
    this.task = task;
  }

  /**
   * The result so far.
   *
   * @param accuracy classification only, else 0
   * @param meanLoss mean -ln p(label), or mean squared error
   * @param meanAbsoluteError regression only, else 0
   */
  public record Result(long samples, double accuracy, double meanLoss, double meanAbsoluteError) {}

  /** Adds labelled samples; a few hundred at a time are best. */
  public void add(List<Sample> labelled) {
    float[][] predictions = model.predict(labelled);
    float[] losses = model.losses(labelled, predictions);
    for (int i = 0; i < losses.length; i++) {
      samples++;
      lossSum += losses[i];
      float label = labelled.get(i).label();
      if (task == Task.CLASSIFICATION) {
        correct += best(predictions[i]) == (int) label ? 1 : 0;
      } else {
        absoluteSum += Math.abs(predictions[i][0] - label);
      }
    }
  }

  private static int best(float[] row) {
    int best = 0;
    for (int i = 1; i < row.length; i++) {
      if (row[i] > row[best]) {
        best = i;
      }
    }
    return best;
  }

  public Result result() {
    double n = Math.max(1, samples);
    return new Result(samples, correct / n, lossSum / n, absoluteSum / n);
  }
}
