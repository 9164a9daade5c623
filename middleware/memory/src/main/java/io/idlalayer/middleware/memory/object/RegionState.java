package io.idlalayer.middleware.memory.object;

/** What a region of a device is. */
public enum RegionState {
  /** May be allocated. */
  FREE,
  /** Held by an object, or in flight between its allocation and its object. */
  USED,
  /** No object's any more, but a lease still reads or writes it; free once the last one closes. */
  QUARANTINE,
  /** Empty and part of a span that is being evicted. */
  RESERVED,
  /** This handle's region was freed; whatever lies at its offset now is another region. */
  GONE
}
