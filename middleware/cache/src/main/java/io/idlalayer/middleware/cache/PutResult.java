package io.idlalayer.middleware.cache;

/** The outcome of offering a block to the cache. */
public enum PutResult {
  /** Resident now. */
  STORED,
  /** Resident now, in place of an older payload of the same key. */
  REPLACED,
  /** Too large for this cache, or the cache has no memory; an older payload is gone. */
  REFUSED_SIZE
}
