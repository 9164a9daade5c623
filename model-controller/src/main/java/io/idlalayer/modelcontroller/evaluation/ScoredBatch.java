package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.modelloader.serve.TaskModel;
import org.jspecify.annotations.Nullable;

/**
 * A batch that came back from the scorer.
 *
 * @param batch what was scored
 * @param losses loss of each sample, NaN where there is none; empty if scoring failed
 * @param predicted class index or value for each sample, NaN where there is none; empty if scoring
 *     failed
 * @param failure why scoring failed, "" if it did not
 * @param rival what a second model made of the same samples; null if there is none
 */
public record ScoredBatch(
    ScoringBatch batch, float[] losses, float[] predicted, String failure, @Nullable Rival rival) {
  /**
   * What a second model made of a batch, in the order of its samples.
   *
   * @param comparison which comparison it is for
   * @param model number of the first model
   */
  public record Rival(long comparison, long model, float[] losses, float[] predicted) {}

  /** Without a rival. */
  public ScoredBatch(ScoringBatch batch, float[] losses, float[] predicted, String failure) {
    this(batch, losses, predicted, failure, null);
  }

  /** A batch that could not be scored. */
  static ScoredBatch failed(ScoringBatch batch, String why) {
    return new ScoredBatch(batch, new float[0], new float[0], why);
  }

  /** The same with what a second model made of it. */
  ScoredBatch beside(Rival other) {
    return new ScoredBatch(batch, losses, predicted, failure, other);
  }

  /** A batch with what the model predicted for it. */
  public static ScoredBatch of(
      TaskModel model, ScoringBatch batch, float[][] predictions, float[] losses) {
    float[] predicted = new float[predictions.length];
    for (int i = 0; i < predicted.length; i++) {
      predicted[i] = predictions[i].length == 1 ? predictions[i][0] : best(predictions[i]);
    }
    return new ScoredBatch(counted(model, batch), losses, predicted, "");
  }

  /** The same with the labels before as the model counts labels. */
  private static ScoringBatch counted(TaskModel model, ScoringBatch batch) {
    float[] noChange = batch.noChange().clone();
    for (int i = 0; i < noChange.length; i++) {
      noChange[i] = model.counted(noChange[i]);
    }
    return batch.withNoChange(noChange);
  }

  /** The first of the most probable classes. */
  static int best(float[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      if (probabilities[i] > probabilities[best]) {
        best = i;
      }
    }
    return best;
  }

  public long[] sampleIds() {
    return batch.sampleIds();
  }
}
