package io.idlalayer.middleware.embedding.settings;

import java.io.Serializable;

/**
 * Limits of the tables of a learner. Admission, the number of rows and expiry apply to open tables;
 * tables of fixed size have room for all their rows.
 *
 * @param fastBytes bytes of DRAM for hot rows and rows read ahead of all tables
 * @param slowBytes bytes of the store for rows and counts of ids; when they are taken, new ids get
 *     no row. Tables of fixed size have their part from the start, open tables share what is left
 * @param mostRows most rows of a table; when it is full, new ids get no row
 */
public record RowSettings(
    long fastBytes,
    long slowBytes,
    RowPolicyName policy,
    Admission admission,
    long mostRows,
    Expiry expiry)
    implements Serializable {
  /** More bytes than any store has. */
  public static final long UNBOUNDED = 1L << 50;

  /** 256 MiB, and a row for every id, for ever. */
  public static final RowSettings DEFAULT =
      new RowSettings(256L << 20, RowPolicyName.FREQUENCY, 1, 100_000_000, Expiry.NEVER);

  /** Creates settings with exact counts, and a store without limits. */
  public RowSettings(
      long fastBytes, RowPolicyName policy, int admitAfter, long mostRows, Expiry expiry) {
    this(fastBytes, UNBOUNDED, policy, Admission.exact(admitAfter), mostRows, expiry);
  }
}
