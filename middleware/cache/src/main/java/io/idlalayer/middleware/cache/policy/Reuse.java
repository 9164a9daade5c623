package io.idlalayer.middleware.cache.policy;

/**
 * A hint about a block's next reference, passed to the policy by the code that inserts the block.
 */
public enum Reuse {
  /**
   * The next reference is expected soon: the block is a new sample, or a sample that the next
   * update will replay.
   */
  NEAR,
  /** Nothing is known about the next reference. */
  UNKNOWN
}
