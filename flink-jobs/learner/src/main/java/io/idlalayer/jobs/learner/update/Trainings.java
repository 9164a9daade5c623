package io.idlalayer.jobs.learner.update;

import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes batches to the trainer thread, each with copies of the rows that it uses, and tells
 * whether a training failed because of its batch. Called by the operator's thread.
 */
public final class Trainings {
  private final LearnerIdentity learner;
  private final TrainerThread trainerThread;
  private final Supplier<Trainer> newTrainer;
  private final TrainingAttempts attempts;
  private final TrainedRows rows;
  private final ProcessorTime processor;

  /**
   * @param newTrainer creates the learner's trainer; called by the trainer thread
   */
  public Trainings(
      LearnerIdentity learner,
      TrainerThread trainerThread,
      Supplier<Trainer> newTrainer,
      TrainingAttempts attempts,
      TrainedRows rows,
      ProcessorTime processor) {
    this.learner = learner;
    this.trainerThread = trainerThread;
    this.newTrainer = newTrainer;
    this.attempts = attempts;
    this.rows = rows;
    this.processor = processor;
  }

  /**
   * Queues the training of a batch on the trainer thread. If there is no memory for the rows, the
   * training counts as failed, so that smaller trainings are tried.
   *
   * @param base the model from which the training continues; null if there is none
   * @param mixture file of the model's mixture; empty if there is none
   */
  Future<TrainingResult> begin(TrainingBatch batch, @Nullable ModelArtifact base, byte[] mixture) {
    RowBatch copies = null;
    if (rows.any()) {
      // If the process runs out of memory here and dies, the next process knows the cause from the
      // record.
      long number = attempts.begins(batch);
      try {
        copies = rows.copy(batch);
      } catch (OutOfMemoryError full) {
        return CompletableFuture.failedFuture(
            new TrainingFailedException(
                TrainingFailedException.Kind.BACKEND,
                "there is not enough memory for the rows of its %d samples (%s)"
                    .formatted(batch.rows().size(), full.getMessage()),
                full));
      } finally {
        attempts.ended(number);
      }
    }
    return trainerThread.train(
        learner.key().text(),
        () -> new RecordedTrainer(newTrainer.get(), attempts, processor),
        new TrainingRequest(base, batch, seed(batch.updateNumber()), copies, mixture));
  }

  /**
   * Returns why a training failed, if a training of another batch can succeed; null if every
   * training would fail.
   */
  static @Nullable String ofThisBatch(@Nullable Throwable cause) {
    if (cause instanceof TrainingFailedException failed) {
      return failed.ofThisBatch() ? failed.getMessage() : null;
    }
    boolean maybe =
        cause instanceof RuntimeException
            || cause instanceof OutOfMemoryError
            || cause instanceof TimeoutException;
    return maybe ? "the trainer failed: " + cause : null;
  }

  /** Returns which sample has a loss that is not a finite number; null if there is none. */
  static @Nullable String notFinite(List<Contribution> contributions) {
    for (Contribution each : contributions) {
      if (!Float.isFinite(each.lossBefore()) || !Float.isFinite(each.lossAfter())) {
        return "sample %d has a loss that is not a finite number: %s before and %s after its training"
            .formatted(each.sampleId(), each.lossBefore(), each.lossAfter());
      }
    }
    return null;
  }

  /** Returns the random seed of an update, which is equal after a restore. */
  private long seed(long updateNumber) {
    return learner.settings().seed() * BitMixer.GOLDEN_RATIO
        + updateNumber * 0xBF58476D1CE4E5B9L
        + learner.key().partition();
  }
}
