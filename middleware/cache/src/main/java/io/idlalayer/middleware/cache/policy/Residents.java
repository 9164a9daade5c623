package io.idlalayer.middleware.cache.policy;

/** The resident blocks of a cache, as the eviction policy that serves it sees them. */
public interface Residents {
  /** The value that means "no slot". */
  int NONE = -1;

  /** Returns the hash of the key in an occupied slot; the bits of the hash are well mixed. */
  long hash(int slot);

  /** Returns the slot of a block whose key has a hash, or {@link #NONE}. */
  int slot(long hash);
}
