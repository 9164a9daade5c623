package io.idlalayer.middleware.placement.api;

/** Wish of an object's creator for the device that it starts on. */
public enum Hint {
  /** The creator uses the object at once and often: the fast device is wanted. */
  FAST,
  /** The creator uses the object rarely: the slow device is wanted. */
  SLOW,
  /** The creator has no wish: the policy decides. */
  AUTO
}
