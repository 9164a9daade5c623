package io.idlalayer.jobs.learner.comparison;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.Confidence;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Samples that were picked from scored batches, with their scores. Confined to one thread. */
final class PickedScores {
  private final int most;
  private final List<Sample> samples = new ArrayList<>();
  private final long[] ids;
  private final double[] noChange;
  private final double[] majority;
  private final float[] losses;
  private final double[] predicted;
  private final double[] targets;
  private final double[] probabilities;
  private final int[] ranks;
  private final double[][] classes;

  /**
   * @param most largest number of samples
   */
  PickedScores(int most) {
    this.most = most;
    ids = new long[most];
    noChange = new double[most];
    majority = new double[most];
    losses = new float[most];
    predicted = new double[most];
    targets = new double[most];
    probabilities = new double[most];
    ranks = new int[most];
    classes = new double[most][];
  }

  /** Returns some samples of a batch with their scores, in the order of the indices. */
  static ScoredBatch of(ScoredBatch batch, int[] indices) {
    if (indices.length == batch.sampleIds().length) {
      return batch;
    }
    PickedScores some = new PickedScores(indices.length);
    for (int index : indices) {
      some.add(batch, index);
    }
    return some.take();
  }

  boolean isEmpty() {
    return samples.isEmpty();
  }

  boolean isFull() {
    return samples.size() == most;
  }

  /**
   * Adds a sample.
   *
   * @param from a batch that was scored without a failure
   * @param index index of the sample in the batch
   */
  void add(ScoredBatch from, int index) {
    int at = samples.size();
    ScoringBatch batch = from.batch();
    ids[at] = batch.sampleIds()[index];
    noChange[at] = batch.noChange()[index];
    majority[at] = batch.majority()[index];
    losses[at] = from.losses()[index];
    predicted[at] = from.predicted()[index];
    targets[at] = from.targets()[index];
    probabilities[at] = from.confidence().probabilities()[index];
    ranks[at] = from.confidence().ranks()[index];
    classes[at] = from.confidence().classes()[index];
    samples.add(batch.samples().get(index));
  }

  void clear() {
    samples.clear();
  }

  /** Removes all samples and returns them as a scored batch. */
  ScoredBatch take() {
    int count = samples.size();
    ScoringBatch batch =
        new ScoringBatch(
            Arrays.copyOf(ids, count),
            List.copyOf(samples),
            Arrays.copyOf(noChange, count),
            Arrays.copyOf(majority, count));
    Confidence confidence =
        new Confidence(
            Arrays.copyOf(probabilities, count),
            Arrays.copyOf(ranks, count),
            Arrays.copyOf(classes, count));
    samples.clear();
    return ScoredBatch.of(
            batch, Arrays.copyOf(losses, count), Arrays.copyOf(predicted, count), confidence)
        .counting(Arrays.copyOf(targets, count));
  }
}
