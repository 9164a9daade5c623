package io.idlalayer.middleware.embedding.batch;

import java.util.Arrays;

/**
 * Groups the uses of a mini-batch by embedding row: the rows in the order of their first use, and
 * the uses of each row in their order (compressed sparse rows, as the reindexing of
 * CachedEmbeddings does). Reused from batch to batch. One thread.
 */
public final class UniqueRows {
  private int[] ordinals = new int[0];
  private int[] rows = new int[0];
  private int[] ends = new int[0];
  private int[] uses = new int[0];
  private int[] ordinalOfUse = new int[0];
  private int count;

  /**
   * Groups the uses of a mini-batch by the row that they use.
   *
   * @param rowOfUse the row of each use, at least 0 and below {@code tableRows}
   * @param useCount number of uses
   */
  public void index(int[] rowOfUse, int useCount, int tableRows) {
    if (ordinals.length < tableRows) {
      ordinals = new int[Integer.highestOneBit(Math.max(1, tableRows - 1)) << 1];
    }
    if (uses.length < useCount) {
      rows = new int[useCount];
      ends = new int[useCount];
      uses = new int[useCount];
      ordinalOfUse = new int[useCount];
    }
    count = 0;
    for (int use = 0; use < useCount; use++) {
      int row = rowOfUse[use];
      int ordinal = ordinals[row] - 1;
      if (ordinal < 0) {
        ordinal = count++;
        ordinals[row] = count;
        rows[ordinal] = row;
        ends[ordinal] = 0;
      }
      ordinalOfUse[use] = ordinal;
      ends[ordinal]++;
    }
    int before = 0;
    for (int ordinal = 0; ordinal < count; ordinal++) {
      int own = ends[ordinal];
      ends[ordinal] = before;
      before += own;
      ordinals[rows[ordinal]] = 0;
    }
    for (int use = 0; use < useCount; use++) {
      uses[ends[ordinalOfUse[use]]++] = use;
    }
  }

  /** Returns the number of different rows. */
  public int count() {
    return count;
  }

  /** Returns the row with an ordinal: rows are numbered in the order of their first use. */
  public int row(int ordinal) {
    return rows[ordinal];
  }

  /** Returns the position of the first use of a row, for {@link #use}. */
  public int from(int ordinal) {
    return ordinal == 0 ? 0 : ends[ordinal - 1];
  }

  /** Returns the position after the last use of a row. */
  public int to(int ordinal) {
    return ends[ordinal];
  }

  /**
   * Returns the index of the use at a position; positions count the uses of all rows, row by row.
   */
  public int use(int position) {
    return uses[position];
  }

  @Override
  public String toString() {
    return "rows %s, ends %s, uses %s"
        .formatted(
            Arrays.toString(Arrays.copyOf(rows, count)),
            Arrays.toString(Arrays.copyOf(ends, count)),
            Arrays.toString(Arrays.copyOf(uses, count == 0 ? 0 : ends[count - 1])));
  }
}
