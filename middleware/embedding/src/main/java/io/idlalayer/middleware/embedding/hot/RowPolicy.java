package io.idlalayer.middleware.embedding.hot;

import io.idlalayer.middleware.embedding.settings.RowPolicyName;

/** Decides which embedding rows stay in DRAM. One for each tier; one thread. */
interface RowPolicy {
  /** Returns a new policy of the kind that a name stands for. */
  static RowPolicy of(RowPolicyName name) {
    return switch (name) {
      case FREQUENCY -> new FrequencyPolicy();
      case DYNAMIC -> new DynamicPolicy();
      case STATIC -> new StaticPolicy();
      case SIMPLE -> new SimplePolicy();
    };
  }

  /**
   * Notifies the policy that samples used some rows.
   *
   * @param slots slots of the rows, of which the positions {@code from} to {@code to} count; {@link
   *     HotRows#NONE} for rows that are not in DRAM
   */
  void used(HotRows rows, int[] slots, int from, int to);

  /** Returns whether a row that was used may take a slot while there are free ones. */
  boolean takes();

  /**
   * Chooses the row that gives up its slot for a row that was just used. All slots are taken.
   *
   * @param rowKey key of the row that needs a slot
   * @return the slot of the row that leaves, or {@link HotRows#NONE} if the new row gets no slot
   */
  int victim(HotRows rows, long rowKey);

  /** Notifies the policy that a row was added to DRAM. */
  void entered(HotRows rows, int slot);

  /** Notifies the policy that the number of slots has changed, and rows may have other slots. */
  default void resized() {}

  /** Returns the bytes of DRAM that the policy itself takes. */
  default long bytes() {
    return 0;
  }
}
