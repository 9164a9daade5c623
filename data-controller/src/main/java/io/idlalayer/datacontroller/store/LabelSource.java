package io.idlalayer.datacontroller.store;

/** The origin of a sample's label, or the reason why the sample has lost it. */
public enum LabelSource {
  /** An event brought the label, or is awaited to bring it. */
  EVENT,
  /** No event brought a label in time, so the sample has the default label of the settings. */
  DEFAULT,
  /** The label was taken back, so only another event can bring a label. */
  WITHDRAWN
}
