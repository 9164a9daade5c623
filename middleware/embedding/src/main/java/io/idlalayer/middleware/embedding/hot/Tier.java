package io.idlalayer.middleware.embedding.hot;

import io.idlalayer.middleware.embedding.store.BufferedRows;

/**
 * Embedding rows in DRAM that have one layout, with the policy that chooses them. A row that leaves
 * is added to the rows to be written if it is newer than the stored one. One thread.
 */
public final class Tier {
  private final HotRows rows;
  private final RowPolicy policy;
  private final BufferedRows cold;

  Tier(HotRows rows, RowPolicy policy, BufferedRows cold) {
    this.rows = rows;
    this.policy = policy;
    this.cold = cold;
  }

  public HotRows rows() {
    return rows;
  }

  /** Notifies the policy that samples used some rows, see {@link RowPolicy#used}. */
  public void used(int[] slots, int from, int to) {
    policy.used(rows, slots, from, to);
  }

  /** Returns the bytes of DRAM that rows and policy take. */
  long bytes() {
    return rows.bytes() + policy.bytes();
  }

  /**
   * Frees a slot for a row if the policy accepts the row; returns whether a slot is free for it.
   */
  public boolean room(long rowKey) {
    if (rows.capacity() == 0 || !policy.takes()) {
      return false;
    }
    if (rows.makesRoom()) {
      return true;
    }
    if (rows.slots() == 0) {
      return false;
    }
    int victim = policy.victim(rows, rowKey);
    if (victim == HotRows.NONE) {
      return false;
    }
    leave(victim);
    return true;
  }

  private void leave(int slot) {
    if (rows.dirty(slot)) {
      cold.put(rows.rowKey(slot), rows.encode(slot));
    }
    rows.remove(slot);
  }

  /** Changes the bytes of DRAM; rows for which no slot is left leave DRAM. */
  void resize(long bytes) {
    int before = rows.capacity();
    rows.resize(bytes, this::leave);
    if (rows.capacity() != before) {
      policy.resized();
    }
  }

  /**
   * Adds a row to DRAM, for which {@link #room} has found a slot. The caller writes its numbers.
   *
   * @param newer whether the row is newer than in the store, and than what is to be written there
   * @return its slot
   */
  public int enter(long rowKey, int table, boolean newer) {
    cold.hot(rowKey, newer);
    int slot = rows.add(rowKey, table);
    policy.entered(rows, slot);
    return slot;
  }
}
