package io.idlalayer.jobs.learner.comparison;

import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An older version of a model, with the scorer that tests it and the results of these tests.
 * Confined to one thread.
 */
final class OlderVersion implements AutoCloseable {
  private final PrequentialScorer scorer;
  private final Deque<ScoredBatch> scored = new ArrayDeque<>();
  final PrequentialEvaluator results;
  private @Nullable Kept kept;

  /**
   * A version that is kept for tests.
   *
   * @param learned number of events that the version has learned
   */
  record Kept(long version, long learned, ModelArtifact artifact) {}

  /**
   * @param scorer scorer that scores only with this version
   * @param results receives the results
   */
  OlderVersion(PrequentialScorer scorer, PrequentialEvaluator results) {
    this.scorer = scorer;
    this.results = results;
  }

  /** Returns the version; null before {@link #keep}. */
  @Nullable Kept kept() {
    return kept;
  }

  /** Tests this version from now on. */
  void keep(Kept version) {
    kept = version;
    scorer.serve(version.artifact(), null);
  }

  /** Passes a batch to the scorer; returns false if the scorer does not accept it. */
  boolean offer(ScoringBatch batch) {
    return scorer.offer(batch);
  }

  /** Returns whether the result of the oldest batch is available. */
  boolean answered() {
    for (Optional<ScoredBatch> next = scorer.poll(); next.isPresent(); next = scorer.poll()) {
      scored.add(next.get());
    }
    return !scored.isEmpty();
  }

  /** Removes and returns the result of the oldest batch. The result must be available. */
  ScoredBatch take() {
    return scored.remove();
  }

  @Override
  public void close() {
    scorer.close();
  }
}
