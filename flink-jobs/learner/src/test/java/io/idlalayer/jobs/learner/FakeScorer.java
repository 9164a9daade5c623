package io.idlalayer.jobs.learner;

import io.idlalayer.modelcontroller.evaluation.LoadedModels;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Rival;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Takes and keeps the order of what it is given as {@link Scorer} does, and works when told to. */
final class FakeScorer implements PrequentialScorer {
  private final LoadedModels models;
  private final BooleanSupplier fails;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final Deque<ScoredBatch> scored = new ArrayDeque<>();
  private int batches;

  /**
   * @param fails whether the next batch cannot be scored
   */
  FakeScorer(Scorer.ModelFactory models, BooleanSupplier fails) {
    this.models = new LoadedModels(models);
    this.fails = fails;
  }

  /** Loads a model or scores a batch. Returns false if there is nothing to do. */
  boolean runOne() {
    Runnable next = waiting.poll();
    if (next == null) {
      return false;
    }
    next.run();
    return true;
  }

  @Override
  public void serve(ModelArtifact artifact, @Nullable Rival rival) {
    waiting.add(() -> models.serve(artifact, rival));
  }

  @Override
  public boolean takesMore() {
    return batches < Scorer.QUEUED_BATCHES;
  }

  @Override
  public boolean offer(ScoringBatch batch) {
    if (!takesMore()) {
      return false;
    }
    batches++;
    waiting.add(
        () ->
            scored.add(
                fails.getAsBoolean()
                    ? ScoredBatch.failed(batch, "out of order")
                    : models.score(batch)));
    return true;
  }

  @Override
  public Optional<ScoredBatch> poll() {
    ScoredBatch next = scored.poll();
    if (next != null) {
      batches--;
    }
    return Optional.ofNullable(next);
  }

  @Override
  public int inFlight() {
    return batches;
  }

  @Override
  public void close() {
    models.close();
    waiting.clear();
    scored.clear();
  }
}
