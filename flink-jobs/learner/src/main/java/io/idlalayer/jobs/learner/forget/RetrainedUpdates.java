package io.idlalayer.jobs.learner.forget;

import java.util.List;

/**
 * The updates that a retraining has trained, with the anchors that it has made.
 *
 * @param updates the updates as they were trained, in their order
 * @param anchors models after some of these updates, in their order
 */
public record RetrainedUpdates(List<LoggedUpdate> updates, List<Anchor> anchors) {
  public RetrainedUpdates {
    updates = List.copyOf(updates);
    anchors = List.copyOf(anchors);
  }
}
