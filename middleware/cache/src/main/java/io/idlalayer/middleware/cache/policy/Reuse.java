package io.idlalayer.middleware.cache.policy;

/** Knowledge about a block's next reference that its inserter passes to the policy. */
public enum Reuse {
  /**
   * The next reference is expected soon: the block is a new sample, or one that the next update
   * will replay.
   */
  NEAR,
  /** Nothing is known about the next reference. */
  UNKNOWN
}
