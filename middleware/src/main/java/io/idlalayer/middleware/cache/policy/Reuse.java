package io.idlalayer.middleware.cache.policy;

/** What the inserter of a block knows about its next reference. */
public enum Reuse {
  /** Expected soon: a Preserve sample. */
  NEAR,
  /** Nothing is known. */
  UNKNOWN,
  /** Not expected: a Discard sample. */
  FAR
}
