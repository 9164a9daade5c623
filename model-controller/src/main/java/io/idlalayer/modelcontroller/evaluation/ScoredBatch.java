package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.modelloader.serve.TaskModel;

/**
 * A batch that came back from the scorer.
 *
 * @param batch what was scored
 * @param losses loss of each sample, NaN where there is none; empty if scoring failed
 * @param predicted class index or value for each sample, NaN where there is none; empty if scoring
 *     failed
 * @param failure why scoring failed, "" if it did not
 */
public record ScoredBatch(ScoringBatch batch, float[] losses, float[] predicted, String failure) {
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
    return new ScoringBatch(batch.sampleIds(), batch.samples(), noChange, batch.majority());
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
