package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.state.LearnerTime;

/** The way of updates, which forgets what was made from a model that is given up. */
public interface GivenUpUpdates {
  /**
   * Gives up a training that is under way, and the samples that updates after one were the first to
   * train: nothing is made from those models, and what made them worse is not trained again.
   */
  void giveUpAfter(long update, LearnerTime now);
}
