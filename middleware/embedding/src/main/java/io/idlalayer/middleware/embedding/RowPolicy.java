package io.idlalayer.middleware.embedding;

/** Decides which rows stay in DRAM. One for each tier; one thread. */
interface RowPolicy {
  /** What is known of a row that was used and is not in DRAM. */
  record Candidate(long rowKey, int occurrences, boolean soonAgain) {}

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

  /** Whether a row may come in, as long as there is free room. */
  boolean takes(Candidate candidate);

  /**
   * Which row gives its place to another; all are taken.
   *
   * @return its slot, or {@link HotRows#NONE} if the other stays out
   */
  int victim(HotRows rows, Candidate candidate);

  /** A row has come in. */
  void entered(HotRows rows, int slot, Candidate candidate);

  /** Bytes of DRAM that the policy itself takes. */
  default long bytes() {
    return 0;
  }
}
