package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.LearnerKey;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.Trainer;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a learner is made of. The trainer thread, the model store and the cache are shared with the
 * other learners of the subtask; state, scorer and output are its own.
 *
 * @param attempts where trainings are put down before they begin
 * @param clock its own
 * @param roomWait how long an event waits for a training to end when the store is full
 * @param donations who plans what the learner gives to the cache, or null if nobody does
 */
record LearnerParts(
    LearnerKey key,
    ApplicationSettings settings,
    LearnerState state,
    TrainerThread trainerThread,
    Supplier<Trainer> newTrainer,
    PublishedModels models,
    Scorer scorer,
    HotCache cache,
    Attempts attempts,
    LearnerClock clock,
    Duration roomWait,
    @Nullable DonationRounds donations,
    Output output) {
  /** Long enough to slow a source down, short enough for checkpoints to pass. */
  static final Duration ROOM_WAIT = Duration.ofMillis(50);
}
