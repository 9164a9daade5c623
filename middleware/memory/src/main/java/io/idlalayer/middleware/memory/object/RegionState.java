package io.idlalayer.middleware.memory.object;

/** States of a region. */
public enum RegionState {
  /** May be allocated. */
  FREE,
  /** Held by an object, or in flight: allocated, and not yet an object's. */
  USED,
  /**
   * Belongs to no object any more, but a lease still uses it; becomes free when the last lease is
   * closed.
   */
  QUARANTINE,
  /** Empty and part of a span that is being evicted. */
  RESERVED,
  /** Was freed; another region may lie at its offset now. */
  GONE
}
