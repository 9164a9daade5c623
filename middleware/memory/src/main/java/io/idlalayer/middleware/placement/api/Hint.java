package io.idlalayer.middleware.placement.api;

/** The device on which the creator of a new object wants it to start. */
public enum Hint {
  /** The creator uses the object at once and often: the fast device is wanted. */
  FAST,
  /** The creator uses the object rarely: the slow device is wanted. */
  SLOW,
  /** The creator has no wish: the policy decides. */
  AUTO
}
