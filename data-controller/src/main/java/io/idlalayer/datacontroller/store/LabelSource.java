package io.idlalayer.datacontroller.store;

/** The origin of a sample's label, or the reason why the sample has lost it. */
public enum LabelSource {
  /** An event brought the label, or is awaited to bring it. */
  EVENT,
  /** No event brought it in time, so the sample has the label that the settings name. */
  DEFAULT,
  /** The label was taken back, so that only another event may bring one. */
  WITHDRAWN
}
