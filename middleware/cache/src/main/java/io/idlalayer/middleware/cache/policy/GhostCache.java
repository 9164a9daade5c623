package io.idlalayer.middleware.cache.policy;

import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a cache by its keys without payloads, to see what a policy would have kept. Experiments
 * use it to compare policies on recorded traces. Confined to one thread.
 */
public final class GhostCache {
  private final KeyTable table = new KeyTable();
  private final EvictionPolicy policy;
  private long[] hashes = {};
  private int[] free = {};
  private int freeCount;
  private int used;
  private int size;
  private int capacity;
  private @Nullable LongConsumer listener;

  /**
   * Creates an empty cache with a policy.
   *
   * @param capacity largest number of resident keys, at least 1
   */
  public GhostCache(PolicyName name, int capacity) {
    this.capacity = capacity;
    policy =
        name.create(
            new Residents() {
              @Override
              public long hash(int slot) {
                return hashes[slot];
              }

              @Override
              public int slot(long hash) {
                return table.get(hash);
              }
            });
    policy.capacity(capacity);
  }

  /**
   * Looks a key up and inserts it if it is absent, evicting another key if necessary.
   *
   * @param hash hash of the key, well mixed; equal hashes count as one key
   * @return whether the key was resident
   */
  public boolean reference(long hash) {
    return reference(hash, Reuse.UNKNOWN, 1);
  }

  boolean reference(long hash, Reuse reuse, int weight) {
    int slot = table.get(hash);
    if (slot != KeyTable.ABSENT) {
      policy.hit(slot, weight);
      return true;
    }
    policy.missed(hash, reuse);
    insert(hash, reuse);
    return false;
  }

  private void insert(long hash, Reuse reuse) {
    while (size >= capacity) {
      evict();
    }
    int slot = freeCount > 0 ? free[--freeCount] : used++;
    if (slot >= hashes.length) {
      int length = Math.max(16, hashes.length * 2);
      hashes = Arrays.copyOf(hashes, length);
      free = Arrays.copyOf(free, length);
      policy.ensure(length);
    }
    hashes[slot] = hash;
    table.put(hash, slot);
    size++;
    policy.inserted(slot, reuse);
  }

  private void evict() {
    int slot = policy.victim();
    long hash = hashes[slot];
    leave(slot);
    LongConsumer who = listener;
    if (who != null) {
      who.accept(hash);
    }
  }

  /** Removes a key, if it is resident. */
  void forget(long hash) {
    int slot = table.get(hash);
    if (slot != KeyTable.ABSENT) {
      leave(slot);
    }
  }

  private void leave(int slot) {
    policy.removed(slot);
    table.remove(hashes[slot]);
    free[freeCount++] = slot;
    size--;
  }

  /** Changes the largest number of resident keys; surplus keys are evicted. */
  public void resize(int entries) {
    capacity = Math.max(1, entries);
    policy.capacity(capacity);
    while (size > capacity) {
      evict();
    }
  }

  /**
   * Sets a listener that is called with the hash of each key after its eviction, but not for
   * forgotten keys.
   */
  void onEviction(@Nullable LongConsumer who) {
    listener = who;
  }

  /** Returns whether a key is resident; does not count as a reference. */
  public boolean contains(long hash) {
    return table.get(hash) != KeyTable.ABSENT;
  }

  /** Returns the number of resident keys. */
  public int size() {
    return size;
  }

  /** Returns the heap bytes of the table, the keys and the policy. */
  public long metadataBytes() {
    return table.bytes() + 12L * hashes.length + policy.metadataBytes();
  }
}
