package io.idlalayer.middleware.embedding.plan;

/**
 * The assignment of ids to the partitions of an application, for applications in which each row of
 * a table lies in exactly one partition. Each partition has a range of the {@linkplain
 * EmbeddingPlan.Table#rowKey row keys}, as unsigned numbers; the ranges are in the order of
 * partitions and equally large. Row keys are mixed, so ids are spread evenly. Row files have the
 * order of row keys, so the rows of a partition are one piece of the file of all rows.
 *
 * <p>The partition of an id depends on its key, on the table's name and on the number of partitions
 * alone.
 *
 * @param partitions number of partitions, at least 1
 * @param salt the table's {@linkplain EmbeddingPlan.Table#salt salt}
 */
public record KeyRanges(int partitions, long salt) {
  public KeyRanges {
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "rows are divided between at least 1 partition, not " + partitions);
    }
  }

  /** Returns the ranges of the table with this name. */
  public static KeyRanges ofTable(String name, int partitions) {
    return new KeyRanges(partitions, EmbeddingPlan.Table.saltOf(name));
  }

  /**
   * Returns the partition that has the row of an id.
   *
   * @param key key of the id, as samples hold it
   */
  public int of(long key) {
    long rowKey = EmbeddingPlan.Table.rowKey(key, salt);
    // The upper half of the unsigned product of 128 bits.
    return (int) (Math.multiplyHigh(rowKey, partitions) + ((rowKey >> 63) & partitions));
  }
}
