package io.idlalayer.middleware.placement;

/** Where a new object is wanted. */
public enum Hint {
  /** Used at once and often. */
  FAST,
  /** Used rarely. */
  SLOW,
  /** As the policy likes. */
  AUTO
}
