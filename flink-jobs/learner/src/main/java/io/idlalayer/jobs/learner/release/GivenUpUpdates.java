package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.state.LearnerTime;

/** The port to the updates, which drop trainings that continue from a given-up model. */
public interface GivenUpUpdates {
  /**
   * Gives up a running training, and the samples that the updates after {@code update} were the
   * first to train, because these samples possibly made the later models worse.
   */
  void giveUpAfter(long update, LearnerTime now);
}
