package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.mixing.MixedModels;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.release.TrustedSource;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.learner.update.AttemptStore;
import io.idlalayer.jobs.learner.update.TrainerThread;
import io.idlalayer.jobs.predictions.PredictionLog;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.cache.shared.SharedHotCache;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.training.Trainer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Everything that a learner gets from outside: its identity, threads, ports, engine and memory. */
public record LearnerContext(
    LearnerIdentity identity, Workers workers, Ports ports, Engine engine, Memory memory) {

  /**
   * The threads that work for a learner. The learners of a subtask share them.
   *
   * @param looks runs tasks that read {@code models} in the background
   * @param rollBacks runs tasks that put an older version in service, without delay
   * @param fullStoreWait longest time that an event waits for a training to end when the store is
   *     full
   */
  public record Workers(
      TrainerThread trainerThread, Executor looks, Executor rollBacks, Duration fullStoreWait) {
    /**
     * Time that an event waits for space in a full store: long enough to slow the source down, and
     * short enough that checkpoints do not time out.
     */
    public static final Duration FULL_STORE_WAIT = Duration.ofMillis(50);
  }

  /**
   * The interfaces through which a learner uses its surroundings, such as its clock, its durable
   * state and the published models. The place of the models is shared by all learners; each learner
   * has its own object for each other port.
   *
   * @param attempts store in which trainings are recorded before they begin
   * @param trusted source of samples with verified labels on which the release gate compares
   *     models; if it has none, models are compared on arriving samples
   * @param loading receives the number of samples read during a restore
   * @param predictions receives the predictions for new samples
   * @param processor counts the processor time that the learner causes
   * @param mixed the versions that are mixed from the models of all partitions; null if each
   *     partition has a separate model. If models are mixed, {@code models} contains the learner's
   *     contributions
   */
  public record Ports(
      LearnerClock clock,
      LearnerState state,
      PublishedModels models,
      AttemptStore attempts,
      TrustedSource trusted,
      DataController.RebuildWatcher loading,
      LearnerOutput output,
      PredictionLog predictions,
      ProcessorTime processor,
      @Nullable MixedModels mixed) {
    /** Creates the ports of a learner whose model is not mixed. */
    public Ports(
        LearnerClock clock,
        LearnerState state,
        PublishedModels models,
        AttemptStore attempts,
        TrustedSource trusted,
        DataController.RebuildWatcher loading,
        LearnerOutput output,
        PredictionLog predictions,
        ProcessorTime processor) {
      this(clock, state, models, attempts, trusted, loading, output, predictions, processor, null);
    }
  }

  /**
   * The engine that trains and scores.
   *
   * @param newTrainer creates the learner's trainer; called by the trainer thread
   * @param scorer scorer of the model, which is closed with the learner
   * @param newScorer creates a scorer of an older version, which is closed with the learner
   * @param status description of trainer and scorer, for manifests and statuses
   * @param measured training times measured before the first training; null if they are unknown
   */
  public record Engine(
      Supplier<Trainer> newTrainer,
      PrequentialScorer scorer,
      Supplier<PrequentialScorer> newScorer,
      Status.Engine status,
      @Nullable MeasuredTraining measured) {}

  /**
   * The cache of sample payloads that the learners of a process share, and the memory of the
   * learner's tensors.
   *
   * @param donations plans the learner's share of the cache; null if the share is fixed
   * @param shared the cache as a shared cache, if other processes read it; else null
   * @param tensors the fast bytes that the learner grants to its trainer; null if their number does
   *     not change
   */
  public record Memory(
      HotCache cache,
      @Nullable DonationRounds donations,
      @Nullable SharedHotCache shared,
      @Nullable TensorGrant tensors) {
    /** Creates the memory of a process whose cache no other process reads. */
    public Memory(HotCache cache, @Nullable DonationRounds donations) {
      this(cache, donations, null, null);
    }
  }
}
