package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.lineage.Submissions;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Refuses a learner that would begin from nothing over published models, no matter which state
 * Flink has restored: none, that of another application, or the state that its high availability
 * has found. A submission that is allowed to begin from nothing notes this beside the models.
 */
final class FreshStart {
  private FreshStart() {}

  /**
   * Checks a learner before it is opened.
   *
   * @param models place of the learner's models
   * @param notes place of what was noted, which is that of the models that serve
   * @param submission Flink's id of the job, as it was noted
   * @throws LastingFailureException if the learner has no state, has models, and may not begin anew
   */
  static void require(
      LearnerState state, ModelStore models, ModelStore notes, LearnerKey key, String submission) {
    if (state.get(LearnerState.Slot.IDENTITY) != null) {
      return;
    }
    String application = key.application();
    boolean refused;
    try {
      refused =
          models.holdsModels(application, key.partition())
              && !Submissions.read(notes, application).fresh(submission);
    } catch (IOException silent) {
      // The job starts again, and the model store may be reachable then.
      throw new UncheckedIOException(
          "cannot read what %s has published in %s: %s"
              .formatted(key.text(), models.address(), silent.getMessage()),
          silent);
    }
    if (refused) {
      throw new LastingFailureException(
          "%s has published models in %s, but what Flink has restored holds no state of it. Nothing was changed: submit the job again with -s and its newest checkpoint or savepoint. Or begin from nothing with --start-over=WORD; with startOver(\"WORD\") of a stream, or 'start-over' = 'WORD' of a table"
              .formatted(key.text(), models.address()));
    }
  }
}
