package io.idlalayer.datacontroller.stage;

/** What can happen to a stored sample. */
public enum StageEvent {
  /** Its content arrived again. */
  ARRIVED_AGAIN,
  /** It was trained and evaluated, and is to be kept and trained again. */
  EVALUATED_MATURE,
  /** It was trained and evaluated, and contributes most. */
  EVALUATED_PRESERVE,
  /** It was trained and evaluated, and contributes nothing. */
  EVALUATED_DISCARD,
  /** The model knows it already: not trained. */
  PASSED_OVER,
  /** Its trainings fail again and again. */
  QUARANTINED,
  /** No update has trained it for long. */
  AGED
}
