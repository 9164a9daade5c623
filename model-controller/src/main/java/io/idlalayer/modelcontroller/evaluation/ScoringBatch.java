package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.embedding.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import java.util.List;

/**
 * New labelled samples to score before they are trained.
 *
 * @param noChange the label before each sample, NaN for none
 * @param majority the most frequent label before each sample, NaN for none
 * @param vectors of the ids of these samples, as the model in service has them
 */
public record ScoringBatch(
    long[] sampleIds, List<Sample> samples, float[] noChange, float[] majority, IdVectors vectors) {
  /** For a model without tables. */
  public ScoringBatch(long[] sampleIds, List<Sample> samples, float[] noChange, float[] majority) {
    this(sampleIds, samples, noChange, majority, IdVectors.NONE);
  }
}
