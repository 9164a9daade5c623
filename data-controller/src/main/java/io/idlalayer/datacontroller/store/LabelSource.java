package io.idlalayer.datacontroller.store;

/** Where the label of a sample came from, or how the sample lost it. */
public enum LabelSource {
  /** An event brought the label, or is awaited to bring it. */
  EVENT,
  /** No event brought it in time, so the sample has the label that the settings name. */
  DEFAULT,
  /** The label was taken back, so that only another event may bring one. */
  WITHDRAWN
}
