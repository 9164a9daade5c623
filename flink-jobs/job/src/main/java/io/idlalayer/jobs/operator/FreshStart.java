package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.lineage.Submissions;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Refuses a learner that would begin from nothing although models of it are published. The state
 * that Flink has restored does not matter: Flink might have restored no state, the state of another
 * application, or the state that its high availability has found. If a submission is allowed to
 * begin from nothing, it leaves a note of this beside the models.
 */
final class FreshStart {
  private FreshStart() {}

  /**
   * Checks a learner before it is opened.
   *
   * @param models place of the learner's models
   * @param notes place with the notes of submissions, which is the place of the models that serve
   * @param submission Flink's id of the job, as the submission has noted it
   * @throws LastingFailureException if the learner has published models but no state, and is not
   *     allowed to begin from nothing
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
      // Flink restarts the job, and the model store might be reachable then.
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
