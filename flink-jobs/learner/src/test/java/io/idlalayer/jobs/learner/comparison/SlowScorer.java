package io.idlalayer.jobs.learner.comparison;

import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Rival;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Answers when it is told to, with the class that its model names. */
final class SlowScorer implements PrequentialScorer {
  private final Deque<ScoredBatch> waiting = new ArrayDeque<>();
  private final Deque<ScoredBatch> scored = new ArrayDeque<>();
  double predicts = Double.NaN;
  String fails = "";
  boolean refuses;
  boolean closed;

  /** Number of samples of each batch for which nothing finite is predicted. */
  int wild;

  void work() {
    scored.addAll(waiting);
    waiting.clear();
  }

  @Override
  public void serve(ModelArtifact artifact, @Nullable Rival rival) {
    predicts = artifact.files().get("class")[0];
  }

  @Override
  public boolean takesMore() {
    return !refuses;
  }

  @Override
  public boolean offer(ScoringBatch batch) {
    if (refuses) {
      return false;
    }
    ScoredBatch answer = always(predicts, batch);
    Arrays.fill(answer.predicted(), 0, wild, Double.NaN);
    waiting.add(fails.isEmpty() ? answer : ScoredBatch.failed(batch, fails));
    return true;
  }

  @Override
  public Optional<ScoredBatch> poll() {
    return Optional.ofNullable(scored.poll());
  }

  @Override
  public int inFlight() {
    return waiting.size() + scored.size();
  }

  @Override
  public void close() {
    closed = true;
  }

  static ScoredBatch always(double predicted, ScoringBatch batch) {
    int size = batch.sampleIds().length;
    double[] all = new double[size];
    Arrays.fill(all, predicted);
    return ScoredBatch.of(batch, new float[size], all);
  }
}
