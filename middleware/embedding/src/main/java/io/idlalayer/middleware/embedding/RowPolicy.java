package io.idlalayer.middleware.embedding;

/** Decides which rows stay in DRAM. One for each tier; one thread. */
interface RowPolicy {
  /** The policy of a name. */
  static RowPolicy of(RowPolicyName name) {
    return switch (name) {
      case FREQUENCY -> new FrequencyPolicy();
      case DYNAMIC -> new DynamicPolicy();
      case STATIC -> new StaticPolicy();
      case SIMPLE -> new SimplePolicy();
    };
  }

  /**
   * Resident rows were used.
   *
   * @param slots of rows, those from one position up to another; {@link HotRows#NONE} for rows that
   *     are not resident
   */
  void used(HotRows rows, int[] slots, int from, int to);

  /** Whether rows that were used may come in, as long as there is free room. */
  boolean takes();

  /**
   * Which row gives its place to another, which was used; all are taken.
   *
   * @param rowKey of the other
   * @return its slot, or {@link HotRows#NONE} if the other stays out
   */
  int victim(HotRows rows, long rowKey);

  /** A row has come in. */
  void entered(HotRows rows, int slot);

  /** Bytes of DRAM that the policy itself takes. */
  default long bytes() {
    return 0;
  }
}
