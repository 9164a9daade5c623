package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.embedding.RowsFolder;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.training.Trainer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a learner is given. The trainer thread, the model store and the cache are shared with the
 * other learners of the subtask; state, scorer, clock and output are its own.
 *
 * @param newTrainer makes its trainer, called by the trainer thread
 * @param engine of the trainer and the scorer
 * @param measured how long a training took before the first one; null if that is unknown
 * @param looks runs what reads {@code models} beside everything else; shared with others
 * @param rollBacks runs what puts an older version in service, at once; shared with others
 * @param attempts where trainings are put down before they begin
 * @param fullStoreWait how long an event waits for a training to end when the store is full
 * @param donations who plans what the learner gives to the cache, or null if nobody does
 * @param mappedRows folder of the files that have copies of rows of tables of fixed size; null if
 *     there are none
 * @param trusted samples whose labels are known to be right, which the release gate compares models
 *     on; none for those that arrive
 * @param loading is told how many samples were read when the learner is restored
 */
public record LearnerContext(
    LearnerKey key,
    ApplicationSettings settings,
    LearnerState state,
    TrainerThread trainerThread,
    Supplier<Trainer> newTrainer,
    Status.Engine engine,
    @Nullable MeasuredTraining measured,
    PublishedModels models,
    Executor looks,
    Executor rollBacks,
    PrequentialScorer scorer,
    HotCache cache,
    AttemptStore attempts,
    LearnerClock clock,
    Duration fullStoreWait,
    @Nullable DonationRounds donations,
    @Nullable RowsFolder mappedRows,
    TrustedSource trusted,
    DataController.RebuildWatcher loading,
    LearnerOutput output) {
  /** Long enough to slow a source down, short enough for checkpoints to pass. */
  public static final Duration FULL_STORE_WAIT = Duration.ofMillis(50);
}
