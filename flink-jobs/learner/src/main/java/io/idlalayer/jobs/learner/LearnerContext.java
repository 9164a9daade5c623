package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.release.TrustedSource;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.update.AttemptStore;
import io.idlalayer.jobs.learner.update.TrainerThread;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.training.Trainer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a learner is given. */
public record LearnerContext(
    LearnerIdentity identity, Workers workers, Ports ports, Engine engine, Memory memory) {

  /**
   * The threads that work for it. They are shared with the other learners of the subtask.
   *
   * @param looks runs what reads {@code models} beside everything else
   * @param rollBacks runs what puts an older version in service, at once
   * @param fullStoreWait how long an event waits for a training to end when the store is full
   */
  public record Workers(
      TrainerThread trainerThread, Executor looks, Executor rollBacks, Duration fullStoreWait) {
    /** Long enough to slow a source down, short enough for checkpoints to pass. */
    public static final Duration FULL_STORE_WAIT = Duration.ofMillis(50);
  }

  /**
   * Its doors to the outside. The place of the models is shared, the others are its own.
   *
   * @param attempts where trainings are put down before they begin
   * @param trusted samples whose labels are known to be right, which the release gate compares
   *     models on; none for those that arrive
   * @param loading is told how many samples were read when the learner is restored
   */
  public record Ports(
      LearnerClock clock,
      LearnerState state,
      PublishedModels models,
      AttemptStore attempts,
      TrustedSource trusted,
      DataController.RebuildWatcher loading,
      LearnerOutput output) {}

  /**
   * The engine that trains and scores.
   *
   * @param newTrainer creates the learner's trainer; called by the trainer thread
   * @param status description of trainer and scorer, for manifests and statuses
   * @param measured training times measured before the first training; null if they are unknown
   */
  public record Engine(
      Supplier<Trainer> newTrainer,
      PrequentialScorer scorer,
      Status.Engine status,
      @Nullable MeasuredTraining measured) {}

  /**
   * Memory that it shares.
   *
   * @param donations plans what the learner gives to the cache; null if nothing is planned
   */
  public record Memory(HotCache cache, @Nullable DonationRounds donations) {}
}
