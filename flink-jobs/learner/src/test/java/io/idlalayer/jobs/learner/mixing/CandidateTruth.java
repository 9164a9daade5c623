package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Rival;
import io.idlalayer.modelcontroller.mixing.ModelMix;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Which models of a {@link MixingHistory} are worse: one event of some partitions makes each model
 * worse that has learned it, until a later event of the partition mends it.
 */
final class CandidateTruth {
  private static final int NONE = -1;
  private static final double LEARNED = 1e-6;

  private final int events;
  private final int[] spoiling;

  CandidateTruth(int partitions, int events, Random random) {
    this.events = events;
    spoiling = new int[partitions];
    for (int p = 0; p < partitions; p++) {
      spoiling[p] = random.nextInt(4) == 0 ? NONE : random.nextInt(events - 2);
    }
  }

  /** Returns in how many partitions a model has learned what makes it worse. */
  int flaws(float[] parameters) {
    int flaws = 0;
    for (int p = 0; p < spoiling.length; p++) {
      int at = p * events + spoiling[p];
      boolean flawed = spoiling[p] != NONE && parameters[at] > LEARNED;
      flaws += flawed && parameters[at + 1] <= LEARNED ? 1 : 0;
    }
    return flaws;
  }

  /** Returns samples, of which it makes no difference what they say. */
  static List<Sample> samples(int count) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      samples.add(new Sample("s" + i, new double[] {i}, new int[0], 1));
    }
    return samples;
  }

  /** Returns a scorer of which the worse of two models is wrong on each sample. */
  PrequentialScorer scorer() {
    return new TrueScorer();
  }

  private final class TrueScorer implements PrequentialScorer {
    private final Deque<ScoredBatch> scored = new ArrayDeque<>();
    private @Nullable ModelArtifact model;
    private @Nullable Rival rival;

    @Override
    public void serve(ModelArtifact artifact, @Nullable Rival beside) {
      model = artifact;
      rival = beside;
    }

    @Override
    public boolean takesMore() {
      return true;
    }

    @Override
    public boolean offer(ScoringBatch batch) {
      int flaws = flaws(parameters(model));
      int flawsOfRival = flaws(parameters(rival.artifact()));
      int size = batch.samples().size();
      double[] predicted = new double[size];
      double[] byRival = new double[size];
      Arrays.fill(predicted, flaws > flawsOfRival ? 0 : 1);
      Arrays.fill(byRival, flaws < flawsOfRival ? 0 : 1);
      scored.add(
          ScoredBatch.of(batch, new float[size], predicted)
              .beside(
                  new ScoredBatch.Rival(
                      rival.comparison(), rival.model(), new float[size], byRival)));
      return true;
    }

    @Override
    public Optional<ScoredBatch> poll() {
      return Optional.ofNullable(scored.poll());
    }

    @Override
    public int inFlight() {
      return scored.size();
    }

    @Override
    public void close() {}
  }

  private static float[] parameters(ModelArtifact model) {
    try {
      return ModelMix.parameters(model.files());
    } catch (IOException malformed) {
      throw new IllegalStateException(malformed);
    }
  }
}
