package io.idlalayer.middleware.embedding;

import java.io.Serializable;

/**
 * Limits of the tables of a learner. Admission, the number of rows and expiry are of open tables;
 * those of fixed size have room for all their rows.
 *
 * @param fastBytes of DRAM for hot rows and rows read ahead, all tables together; what else they
 *     take says {@link RowMemory}
 * @param slowBytes of the store for rows and counts of ids, see {@link RowUsage#slowBytes}; ids
 *     that come when they are taken get no row. Tables of fixed size have their part from the start
 *     ({@link RowTables#fixedBytes}), the others what is left
 * @param mostRows of a table; ids that come when it is full get no row
 */
public record RowSettings(
    long fastBytes,
    long slowBytes,
    RowPolicyName policy,
    Admission admission,
    long mostRows,
    Expiry expiry)
    implements Serializable {
  /** More bytes of the store than there are. */
  public static final long UNBOUNDED = 1L << 50;

  /** 256 MiB, and a row for every id, for ever. */
  public static final RowSettings DEFAULT =
      new RowSettings(256L << 20, RowPolicyName.FREQUENCY, 1, 100_000_000, Expiry.NEVER);

  /** With exact counts, and a store without bounds. */
  public RowSettings(
      long fastBytes, RowPolicyName policy, int admitAfter, long mostRows, Expiry expiry) {
    this(fastBytes, UNBOUNDED, policy, Admission.exact(admitAfter), mostRows, expiry);
  }
}
