package io.idlalayer.middleware.cache.policy;

/** The questions that a policy may ask the cache it serves. */
public interface Residents {
  /** No such slot. */
  int NONE = -1;

  /** Hash of the key in an occupied slot, well mixed. */
  long hash(int slot);

  /** Returns a slot whose key has this hash, or {@link #NONE}. */
  int slot(long hash);
}
