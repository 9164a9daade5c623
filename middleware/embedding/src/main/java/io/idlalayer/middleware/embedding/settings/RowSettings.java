package io.idlalayer.middleware.embedding.settings;

import java.io.Serializable;

/**
 * Limits of the embedding tables of a learner. Admission, the number of rows and expiry apply to
 * open tables; tables of fixed size have room for all their rows.
 *
 * @param fastBytes bytes of DRAM for hot rows and rows read ahead of all tables
 * @param slowBytes bytes of the store for rows and counts of ids; when they are taken, new ids get
 *     no row. Tables of fixed size have their part from the start, open tables share what is left
 * @param mostRows most rows of a table; when it is full, new ids get no row
 * @param mostFastBytes largest number that the bytes of DRAM may be changed to while the tables are
 *     open. If it is above {@code fastBytes}, the numbers of hot rows are outside the Java heap,
 *     which would not give memory back
 */
public record RowSettings(
    long fastBytes,
    long slowBytes,
    RowPolicyName policy,
    Admission admission,
    long mostRows,
    Expiry expiry,
    long mostFastBytes)
    implements Serializable {
  /** A number of bytes larger than any store. */
  public static final long UNBOUNDED = 1L << 50;

  /** The defaults: 256 MiB of DRAM, and a row for every id, which is never deleted. */
  public static final RowSettings DEFAULT =
      new RowSettings(256L << 20, RowPolicyName.FREQUENCY, 1, 100_000_000, Expiry.NEVER);

  /** Creates settings whose bytes of DRAM do not change. */
  public RowSettings(
      long fastBytes,
      long slowBytes,
      RowPolicyName policy,
      Admission admission,
      long mostRows,
      Expiry expiry) {
    this(fastBytes, slowBytes, policy, admission, mostRows, expiry, fastBytes);
  }

  /** Creates settings that count ids exactly and do not limit the bytes of the store. */
  public RowSettings(
      long fastBytes, RowPolicyName policy, int admitAfter, long mostRows, Expiry expiry) {
    this(fastBytes, UNBOUNDED, policy, Admission.exact(admitAfter), mostRows, expiry);
  }

  /** Returns whether the bytes of DRAM may change while the tables are open. */
  public boolean resizable() {
    return mostFastBytes > fastBytes;
  }

  /**
   * Returns these settings with other bytes of DRAM, which may change.
   *
   * @param most largest number that they may be changed to, above {@code bytes}
   */
  public RowSettings resizable(long bytes, long most) {
    return new RowSettings(bytes, slowBytes, policy, admission, mostRows, expiry, most);
  }
}
