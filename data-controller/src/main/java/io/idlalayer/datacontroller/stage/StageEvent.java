package io.idlalayer.datacontroller.stage;

/** The events that can change the life stage of a stored sample. */
public enum StageEvent {
  /** The sample was trained and evaluated; it is kept and can be replayed. */
  EVALUATED_MATURE,
  /** The sample was trained and evaluated, and contributes most. */
  EVALUATED_PRESERVE,
  /** The sample was trained and evaluated, and contributes nothing. */
  EVALUATED_DISCARD,
  /** The sample was not trained, because the model knows it already. */
  PASSED_OVER,
  /** The trainings of the sample failed repeatedly. */
  QUARANTINED,
  /** No update has trained on the sample for long. */
  AGED
}
