package io.idlalayer.middleware.placement.api;

/** Where a new object is wanted. */
public enum Hint {
  /** Used at once and often. */
  FAST,
  /** Used rarely. */
  SLOW,
  /** The policy decides. */
  AUTO
}
