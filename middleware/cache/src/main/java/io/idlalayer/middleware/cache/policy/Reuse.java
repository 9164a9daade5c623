package io.idlalayer.middleware.cache.policy;

/** The knowledge of a block's inserter about its next reference. */
public enum Reuse {
  /** Expected soon: a new sample, or one that the next update will replay. */
  NEAR,
  /** Nothing is known. */
  UNKNOWN
}
