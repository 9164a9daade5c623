package io.idlalayer.jobs.learner.forget;

import java.util.List;
import java.util.Set;

/**
 * The updates that are trained again, so that the model has not learned from some samples.
 *
 * @param base the model to begin with
 * @param fromBeginning whether the retraining begins with a new network, because the samples to
 *     forget were possibly trained by updates before the log; everything that only those updates
 *     had learned is then lost
 * @param updates the updates to train, in their order, without the rows to forget; an update can be
 *     without rows
 * @param anchored numbers of the updates after which the model becomes an anchor
 */
public record RetrainingPlan(
    Anchor base, boolean fromBeginning, List<LoggedUpdate> updates, Set<Long> anchored) {
  public RetrainingPlan {
    updates = List.copyOf(updates);
    anchored = Set.copyOf(anchored);
  }
}
