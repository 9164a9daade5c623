package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.embedding.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import java.util.Arrays;
import java.util.List;

/**
 * New labelled samples to score before they are trained.
 *
 * @param noChange the label before each sample, NaN for none
 * @param majority the most frequent label before each sample, NaN for none
 * @param vectors of the ids of these samples, as the model in service has them
 * @param purpose what the scores are for
 */
public record ScoringBatch(
    long[] sampleIds,
    List<Sample> samples,
    float[] noChange,
    float[] majority,
    IdVectors vectors,
    Purpose purpose) {
  /** What scores are for. */
  public enum Purpose {
    /** To test before training: each sample counts once. */
    PREQUENTIAL,
    /** To compare two models only; the samples may have been scored before. */
    COMPARISON
  }

  /** To test before training. */
  public ScoringBatch(
      long[] sampleIds,
      List<Sample> samples,
      float[] noChange,
      float[] majority,
      IdVectors vectors) {
    this(sampleIds, samples, noChange, majority, vectors, Purpose.PREQUENTIAL);
  }

  /** For a model without tables. */
  public ScoringBatch(long[] sampleIds, List<Sample> samples, float[] noChange, float[] majority) {
    this(sampleIds, samples, noChange, majority, IdVectors.NONE);
  }

  /** To compare two models, which have no tables. */
  public static ScoringBatch toCompare(long[] sampleIds, List<Sample> samples) {
    float[] unknown = new float[sampleIds.length];
    Arrays.fill(unknown, Float.NaN);
    return new ScoringBatch(
        sampleIds, samples, unknown, unknown, IdVectors.NONE, Purpose.COMPARISON);
  }

  /** The same with other labels before its samples. */
  ScoringBatch withNoChange(float[] labels) {
    return new ScoringBatch(sampleIds, samples, labels, majority, vectors, purpose);
  }
}
