package io.idlalayer.middleware.models.kafka.bounds;

import java.util.Locale;

/**
 * The largest sizes of what a consumer unpacks from compressed batches.
 *
 * @param recordBytes largest size of a record. A larger record is never held whole in memory: it
 *     arrives with the beginning of its value, without key, and with the header {@link #LENGTH}
 * @param pollBytes most bytes that a poll returns; one record can exceed this limit
 */
public record UnpackLimits(int recordBytes, long pollBytes) {
  /** Header of a record that arrived cut: the full length of the record in bytes, as digits. */
  public static final String LENGTH = "idla-length";

  /** Number of bytes of the value that are kept if a record is too large. */
  public static final int KEPT_BYTES = 64 << 10;

  /** Limits for the topics that the product itself writes: it writes no larger record. */
  public static final UnpackLimits OWN_TOPICS = ofRecords(1 << 20);

  private static final long POLL_BYTES = 16L << 20;

  public UnpackLimits {
    if (recordBytes < 1 || pollBytes < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "limits of %d bytes a record and %d bytes a poll; both must be at least 1",
              recordBytes,
              pollBytes));
    }
  }

  /** Returns limits for records of up to a size: 16 MiB a poll, or that size if it is larger. */
  public static UnpackLimits ofRecords(int recordBytes) {
    return new UnpackLimits(recordBytes, Math.max(POLL_BYTES, recordBytes));
  }
}
