package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the next update continues once the newest model is given up, and what scores until then.
 * Called by the operator's thread.
 */
final class Continuation {
  private static final Logger LOG = LoggerFactory.getLogger(Continuation.class);

  private final LearnerKey key;
  private final ReleaseGate gate;
  private final Publication publication;
  private final Scoring scoring;
  private final VersionRows rows;

  /**
   * @param key for messages
   */
  Continuation(LearnerKey key, ReleaseParts parts) {
    this.key = key;
    gate = parts.gate();
    publication = parts.publication();
    scoring = parts.scoring();
    rows = parts.rows();
  }

  /** The version that serves, if the next update is to continue it and can; else null. */
  @Nullable ServedVersion of(ServedVersion serves) {
    return gate.continuesInService() && rows.known(serves.update()) ? serves : null;
  }

  /** What made later models worse is not trained again, and nothing is made from those models. */
  void goBackTo(ServedVersion version, LearnerTime now, GivenUpUpdates updates) {
    updates.giveUpAfter(version.update(), now);
    putRowsBack(version);
  }

  /** The rows of a version that the next update continues are again what they were. */
  void putRowsBack(ServedVersion version) {
    if (rows.any()) {
      // What is collected is scored by the rows as they were.
      scoring.flush();
      rows.goBack(version.update());
    }
  }

  /** Tells the log if a version would be continued, were its rows known. */
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

  /** Scores what comes by a model, and what waits too if the model is compared with another. */
  void score(ModelArtifact artifact) {
    scoring.serve(artifact);
    if (gate.takeBegun()) {
      scoring.compare();
    }
  }

  /** The newest model scores from now on what is compared, unless it is given up. */
  void scoreAnew() {
    AcceptedModel newest = publication.model();
    if (newest != null && !gate.continuesInService()) {
      score(newest.artifact());
    }
  }

  /** Scores what comes by the model that the next update continues, without a rival. */
  void scoreNewest() {
    AcceptedModel newest = publication.model();
    if (newest != null) {
      scoring.serve(newest.artifact());
    }
  }
}
