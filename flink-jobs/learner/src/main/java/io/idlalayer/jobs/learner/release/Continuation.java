package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.settings.LearnerKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which model the next update continues from after the newest model is given up, and which
 * model scores until then. Called by the operator's thread.
 */
final class Continuation {
  private static final Logger LOG = LoggerFactory.getLogger(Continuation.class);

  private final LearnerKey key;
  private final ReleaseGate gate;
  private final Publication publication;
  private final Scoring scoring;
  private final VersionRows rows;

  /**
   * @param key key of the learner, for messages
   */
  Continuation(LearnerKey key, ReleaseParts parts) {
    this.key = key;
    gate = parts.gate();
    publication = parts.publication();
    scoring = parts.scoring();
    rows = parts.rows();
  }

  /**
   * Returns the version that serves, if the next update should and can continue from it; else null.
   */
  @Nullable ServedVersion of(ServedVersion serves) {
    return gate.continuesInService() && rows.known(serves.update()) ? serves : null;
  }

  /**
   * Returns to a version: gives up the samples that later models were the first to train, and the
   * trainings that continue from these models.
   */
  void goBackTo(ServedVersion version, LearnerTime now, GivenUpUpdates updates) {
    updates.giveUpAfter(version.update(), now);
    putRowsBack(version);
  }

  /**
   * Restores the rows of embedding tables that belong to the version from which the next update
   * continues.
   */
  void putRowsBack(ServedVersion version) {
    if (rows.any()) {
      // The collected samples are scored with the rows from before.
      scoring.flush();
      rows.goBack(version.update());
    }
  }

  /** Logs a warning if the next update should continue from a version whose rows are unknown. */
  void warnOfLostRows(ServedVersion serves, boolean rowsKnown, long continued) {
    if (gate.continuesInService() && !rowsKnown) {
      LOG.warn(
          "{}: version {} serves in place of version {}, but the rows that it was published with"
              + " are not known any more, so the next update continues version {}",
          key,
          serves.version(),
          continued,
          continued);
    }
  }

  void forgetRows() {
    rows.keepOnly(gate.neededUpdates());
  }

  /**
   * Sets the model that scores new samples. If a comparison of the model has begun, it also scores
   * the samples that wait.
   */
  void score(AcceptedModel model) {
    scoring.serve(model.artifact(), model.update().number());
    if (gate.takeBegun()) {
      scoring.compare();
    }
  }

  /**
   * Scores the samples of a comparison again, with the newest model, unless that model is given up.
   */
  void scoreAnew() {
    AcceptedModel newest = publication.model();
    if (newest != null && !gate.continuesInService()) {
      score(newest);
    }
  }

  /**
   * Scores new samples with the model that the next update continues from, without comparing it
   * with a rival.
   */
  void scoreNewest() {
    AcceptedModel newest = publication.model();
    if (newest != null) {
      scoring.serve(newest.artifact(), newest.update().number());
    }
  }
}
