package io.idlalayer.middleware.embedding;

/**
 * Hot rows of one layout, and the policy that chooses them. A row that leaves goes to the rows that
 * are not hot, if it is newer than what they have. One thread.
 */
final class Tier {
  private final HotRows rows;
  private final RowPolicy policy;
  private final BufferedRows cold;

  Tier(HotRows rows, RowPolicy policy, BufferedRows cold) {
    this.rows = rows;
    this.policy = policy;
    this.cold = cold;
  }

  HotRows rows() {
    return rows;
  }

  /** Rows were used; see {@link RowPolicy#used}. */
  void used(int[] slots, int from, int to) {
    policy.used(rows, slots, from, to);
  }

  /** Bytes of DRAM. */
  long bytes() {
    return rows.bytes() + policy.bytes();
  }

  /** Makes room for a row, if the policy wants it. */
  boolean room(long rowKey) {
    if (rows.capacity() == 0 || !policy.takes()) {
      return false;
    }
    if (!rows.full()) {
      return true;
    }
    int victim = policy.victim(rows, rowKey);
    if (victim == HotRows.NONE) {
      return false;
    }
    if (rows.dirty(victim)) {
      cold.put(rows.rowKey(victim), rows.encode(victim));
    }
    rows.remove(victim);
    return true;
  }

  /**
   * A row is hot from now on; there is room. Its numbers are to be written by the caller.
   *
   * @param newer whether they are newer than what the store has, or is to have
   * @return its slot
   */
  int enter(long rowKey, int table, boolean newer) {
    cold.hot(rowKey, newer);
    int slot = rows.add(rowKey, table);
    policy.entered(rows, slot);
    return slot;
  }
}
