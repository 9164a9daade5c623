package io.idlalayer.middleware.embedding.settings;

/** Which rows stay in DRAM. */
public enum RowPolicyName {
  /** Rows that were used often of late; rows of ids that occur once stay out. */
  FREQUENCY,
  /** Rows that were read last: the oldest one leaves first, whether it was used again or not. */
  DYNAMIC,
  /** The first rows that fit, for ever. */
  STATIC,
  /** None: every use reads the slow store. */
  SIMPLE
}
