package io.idlalayer.middleware.embedding.settings;

/** The policies that decide which embedding rows stay in DRAM. */
public enum RowPolicyName {
  /** Keeps rows that were used often in recent times; rows of ids that occur once are not kept. */
  FREQUENCY,
  /**
   * Keeps every row that was read; the row that was added first leaves first, even if it was used
   * again.
   */
  DYNAMIC,
  /** Keeps the first rows that fit, for ever. */
  STATIC,
  /** Keeps no rows: every use reads the slow store. */
  SIMPLE
}
