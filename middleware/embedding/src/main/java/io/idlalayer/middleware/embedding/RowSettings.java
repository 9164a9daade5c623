package io.idlalayer.middleware.embedding;

import java.io.Serializable;

/**
 * Limits of the tables of a learner.
 *
 * @param fastBytes of DRAM for hot rows, all tables together
 * @param admitAfter occurrences in training before an id gets a row, at least 1
 * @param mostRows of a table; ids that come when it is full get no row
 */
public record RowSettings(
    long fastBytes, RowPolicyName policy, int admitAfter, long mostRows, Expiry expiry)
    implements Serializable {
  /** 256 MiB, and a row for every id, for ever. */
  public static final RowSettings DEFAULT =
      new RowSettings(256L << 20, RowPolicyName.FREQUENCY, 1, 100_000_000, Expiry.NEVER);
}
