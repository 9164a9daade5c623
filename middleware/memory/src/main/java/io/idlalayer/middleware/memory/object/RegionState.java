package io.idlalayer.middleware.memory.object;

/** States of a region. */
public enum RegionState {
  /** The region may be allocated. */
  FREE,
  /** The region is allocated; it belongs to an object, or is in flight and will be given to one. */
  USED,
  /**
   * The region belongs to no object any more, but leases or background copies still use it. It
   * becomes free when the last of them ends.
   */
  QUARANTINE,
  /** The region is empty and kept for a span that is being evicted. */
  RESERVED,
  /**
   * The region was freed or merged and must not be used; another region may lie at its offset now.
   */
  GONE
}
