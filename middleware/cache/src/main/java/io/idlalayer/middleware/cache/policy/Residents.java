package io.idlalayer.middleware.cache.policy;

/** What a policy may ask of the cache it serves. */
public interface Residents {
  /** No such slot. */
  int NONE = -1;

  /** Hash of the key in an occupied slot, well mixed. */
  long hash(int slot);

  /** Returns a slot whose key has this hash, or {@link #NONE}. */
  int slot(long hash);
}
