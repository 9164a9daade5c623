package io.idlalayer.middleware.embedding.hot;

import io.idlalayer.middleware.embedding.settings.RowPolicyName;

/** Decides which rows stay in DRAM. One for each tier; one thread. */
interface RowPolicy {
  /** Makes the policy of a name. */
  static RowPolicy of(RowPolicyName name) {
    return switch (name) {
      case FREQUENCY -> new FrequencyPolicy();
      case DYNAMIC -> new DynamicPolicy();
      case STATIC -> new StaticPolicy();
      case SIMPLE -> new SimplePolicy();
    };
  }

  /**
   * Called when rows were used.
   *
   * @param slots slots of the rows, of which the positions {@code from} to {@code to} count; {@link
   *     HotRows#NONE} for rows that are not in DRAM
   */
  void used(HotRows rows, int[] slots, int from, int to);

  /** Returns whether rows that were used may get a slot while there are free ones. */
  boolean takes();

  /**
   * Chooses the row that gives up its slot for a row that was just used. All slots are taken.
   *
   * @param rowKey key of the row that needs a slot
   * @return the slot of the row that leaves, or {@link HotRows#NONE} if the new row gets no slot
   */
  int victim(HotRows rows, long rowKey);

  /** Called when a row has come in. */
  void entered(HotRows rows, int slot);

  /** Bytes of DRAM that the policy itself takes. */
  default long bytes() {
    return 0;
  }
}
