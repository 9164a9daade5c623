package io.idlalayer.datacontroller.stage;

/** An event that can happen to a stored sample. */
public enum StageEvent {
  /** The sample's content arrived again. */
  ARRIVED_AGAIN,
  /** The sample was trained and evaluated; it is kept and may be replayed. */
  EVALUATED_MATURE,
  /** The sample was trained and evaluated, and contributes most. */
  EVALUATED_PRESERVE,
  /** The sample was trained and evaluated, and contributes nothing. */
  EVALUATED_DISCARD,
  /** The model knows it already: not trained. */
  PASSED_OVER,
  /** The sample's trainings fail repeatedly. */
  QUARANTINED,
  /** No update has trained the sample for long. */
  AGED
}
