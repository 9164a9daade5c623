package io.idlalayer.middleware.embedding;

/** Which rows stay in DRAM. */
public enum RowPolicyName {
  /** Those that are used often, lately; ids that come once stay out. */
  FREQUENCY,
  /** Those that were read last: the oldest go first, whether they were used again or not. */
  DYNAMIC,
  /** The first that fit, for ever. */
  STATIC,
  /** None: every use reads the slow store. */
  SIMPLE
}
