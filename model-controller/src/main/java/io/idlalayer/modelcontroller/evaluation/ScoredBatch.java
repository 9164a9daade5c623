package io.idlalayer.modelcontroller.evaluation;

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
  public long[] sampleIds() {
    return batch.sampleIds();
  }
}
