package io.idlalayer.middleware.cache;

/** Outcomes of putting a block into the cache. */
public enum PutResult {
  /** The block is resident now. */
  STORED,
  /** The block is resident now, in place of an older payload with its key. */
  REPLACED,
  /**
   * The block is not resident, because it is too large or the cache has no memory; an older payload
   * with its key was removed.
   */
  REFUSED_SIZE
}
