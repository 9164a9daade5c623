package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch of labelled samples that a model scores before it is trained on them.
 *
 * @param noChange the label before each sample, NaN if there is none
 * @param majority the most frequent label before each sample, NaN if there is none
 * @param vectors vectors of the samples' ids in the model in service
 * @param rivalVectors vectors of the samples' ids in the rival; null if the rival does not score
 *     these samples
 * @param purpose what the scores are for
 */
public record ScoringBatch(
    long[] sampleIds,
    List<Sample> samples,
    double[] noChange,
    double[] majority,
    IdVectors vectors,
    @Nullable IdVectors rivalVectors,
    Purpose purpose) {
  /** The reason why a batch is scored. */
  public enum Purpose {
    /** Prequential test: each sample is scored once, before a model is trained on it. */
    PREQUENTIAL,
    /**
     * Comparison of two models, without a prequential test; the samples were possibly scored
     * before.
     */
    COMPARISON
  }

  /** Creates a batch to test before training. */
  public ScoringBatch(
      long[] sampleIds,
      List<Sample> samples,
      double[] noChange,
      double[] majority,
      IdVectors vectors,
      @Nullable IdVectors rivalVectors) {
    this(sampleIds, samples, noChange, majority, vectors, rivalVectors, Purpose.PREQUENTIAL);
  }

  /** Creates a batch to test before training, for a model without tables. */
  public ScoringBatch(
      long[] sampleIds, List<Sample> samples, double[] noChange, double[] majority) {
    this(sampleIds, samples, noChange, majority, IdVectors.NONE, IdVectors.NONE);
  }

  /** Creates a batch that is scored only to compare two models. */
  public static ScoringBatch toCompare(
      long[] sampleIds, List<Sample> samples, IdVectors vectors, @Nullable IdVectors rivalVectors) {
    double[] unknown = new double[sampleIds.length];
    Arrays.fill(unknown, Double.NaN);
    return new ScoringBatch(
        sampleIds, samples, unknown, unknown, vectors, rivalVectors, Purpose.COMPARISON);
  }

  /** Returns this batch with other predictions of the no-change reference. */
  public ScoringBatch withNoChange(double[] labels) {
    return new ScoringBatch(sampleIds, samples, labels, majority, vectors, rivalVectors, purpose);
  }
}
