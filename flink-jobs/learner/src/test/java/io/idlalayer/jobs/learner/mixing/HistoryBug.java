package io.idlalayer.jobs.learner.mixing;

/** Errors of a mixer, or of a learner whose model is mixed, that a {@link MixingHistory} must find. */
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
}
