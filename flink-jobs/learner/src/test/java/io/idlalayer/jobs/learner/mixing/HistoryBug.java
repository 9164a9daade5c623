package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.mixing.MixRound;
import io.idlalayer.jobs.mixing.MixState;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.function.IntUnaryOperator;

/**
 * Errors of a mixer, or of a learner whose model is mixed, that a {@link MixingHistory} must find.
 */
enum HistoryBug {
  NONE,
  /** A learner adopts what an abandoned attempt has mixed. */
  ANY_INCARNATION,
  /** A learner adopts a version that does not contain its last contribution. */
  ANY_CONTRIBUTION,
  /** What a contribution from an older base shares with the one before is counted again. */
  COUNTED_TWICE,
  /** A learner adopts a model that is not published yet. */
  ADOPTED_UNTESTED,
  /** The progress behind a refused model is counted as mixed. */
  LOST_PROGRESS,
  /** What was found of another model counts for the one that is tested. */
  OTHER_ROUND,
  /** A restart does not look for the verdict of an earlier attempt. */
  FORGOTTEN_VERDICT,
  /** Rows of a contribution that no version has contained are not in the next version. */
  LATE_ROWS_DROPPED,
  /** Each learner that has used a shared row has the same weight. */
  USES_NOT_COUNTED,
  /** A learner counts uses of shared rows that are mixed already once more. */
  USES_COUNTED_TWICE,
  /** A version with changes lacks shared rows that an earlier round has changed. */
  SHARED_ROWS_DROPPED;

  boolean ofGate() {
    return compareTo(ADOPTED_UNTESTED) >= 0 && !ofTables();
  }

  boolean ofTables() {
    return compareTo(LATE_ROWS_DROPPED) >= 0;
  }

  /** Returns a model as a learner with this error contributes it. */
  ModelArtifact contributed(ModelArtifact model) {
    return this == USES_NOT_COUNTED ? marked(model, mark -> Math.min(1, mark)) : model;
  }

  /** Returns the model of a round as a mixer with this error publishes it. */
  MixState published(MixRound round, MixState state) {
    if (this != SHARED_ROWS_DROPPED) {
      return state;
    }
    ModelArtifact marked =
        marked(
            new ModelArtifact(state.files()),
            mark -> mark < round.number() ? Math.min(1, mark) : mark);
    return new MixState(
        marked.files(),
        state.contributed(),
        state.uses(),
        state.own(),
        state.attributes(),
        state.metrics(),
        state.notes());
  }

  private static ModelArtifact marked(ModelArtifact model, IntUnaryOperator marks) {
    int[] before = HistoryTables.shared(model.files()).marks();
    return HistoryTables.marked(model, Arrays.stream(before).map(marks).toArray());
  }

  /** Returns a version with other attributes. */
  static ModelCheckpoint with(ModelCheckpoint found, SortedMap<String, String> attributes) {
    ModelManifest manifest = found.manifest();
    return new ModelCheckpoint(
        found.location(),
        new ModelManifest(
            manifest.formatVersion(),
            manifest.application(),
            manifest.partition(),
            manifest.version(),
            manifest.parentVersion(),
            manifest.parentDigest(),
            manifest.createdAtMillis(),
            manifest.inputOffsets(),
            manifest.counts(),
            manifest.metrics(),
            attributes,
            manifest.files()),
        found.digest());
  }
}
