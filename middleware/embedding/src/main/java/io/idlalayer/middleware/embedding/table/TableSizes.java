package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.StoredRow;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import java.util.Arrays;
import java.util.List;

/**
 * Counts rows and counted ids of the embedding tables, the bytes of the store that they take, and
 * the room that is left for open tables. A table of fixed size has room for all its rows from the
 * start. One thread.
 */
final class TableSizes {
  /**
   * Bytes that a keyed state of Flink adds to a row: keys, their lengths, and the overhead of an
   * entry in its files.
   */
  static final int STATE_BYTES = 64;

  private static final long COUNT_BYTES = StoredRow.HEAD_BYTES + STATE_BYTES;

  private final RowSettings settings;
  private final List<EmbeddingPlan.Table> tables;
  private final long[] rowBytes;
  private final long[] rows;
  private final long[] counts;

  TableSizes(EmbeddingPlan plan, RowSettings settings) {
    this.settings = settings;
    tables = plan.tables();
    rowBytes = tables.stream().mapToLong(table -> storedBytes(table.layout())).toArray();
    rows = new long[tables.size()];
    counts = new long[tables.size()];
  }

  /** Returns the bytes of the store that a row takes. */
  static long storedBytes(RowLayout layout) {
    return COUNT_BYTES + (long) Float.BYTES * layout.stride();
  }

  /**
   * Returns the bytes of the store that a table of fixed size takes with all its rows; 0 for an
   * open table.
   */
  static long fixedBytes(EmbeddingPlan.Table table) {
    return table.index().fixed()
        ? (table.index().rows() + RowIndex.OWN_ROWS) * storedBytes(table.layout())
        : 0;
  }

  private boolean fixed(int table) {
    return tables.get(table).index().fixed();
  }

  long[] rows() {
    return rows.clone();
  }

  long[] counts() {
    return counts.clone();
  }

  void restore(long[] rowsOfTable, long[] countsOfTable) {
    System.arraycopy(rowsOfTable, 0, rows, 0, rows.length);
    System.arraycopy(countsOfTable, 0, counts, 0, counts.length);
  }

  void addRows(int table, int more) {
    rows[table] += more;
  }

  void addCounts(int table, int more) {
    counts[table] += more;
  }

  long allRows() {
    return Arrays.stream(rows).sum();
  }

  long allCounts() {
    return Arrays.stream(counts).sum();
  }

  /**
   * Returns whether a key stands for missing or for unknown ids; every table has rows for these.
   */
  static boolean own(long key) {
    return key == IdLists.MISSING || key == IdLists.UNKNOWN;
  }

  /**
   * Returns the bytes of the store that all tables take, including the rows of missing and of
   * unknown ids.
   */
  long bytes() {
    long bytes = allCounts() * COUNT_BYTES;
    for (int table = 0; table < rows.length; table++) {
      bytes += (rows[table] + RowIndex.OWN_ROWS) * rowBytes[table];
    }
    return bytes;
  }

  /**
   * Returns the bytes of the store that are taken or reserved; all rows of tables of fixed size are
   * reserved.
   */
  private long bytesTaken() {
    long bytes = allCounts() * COUNT_BYTES;
    for (int table = 0; table < rows.length; table++) {
      bytes +=
          fixed(table)
              ? fixedBytes(tables.get(table))
              : (rows[table] + RowIndex.OWN_ROWS) * rowBytes[table];
    }
    return bytes;
  }

  /** Returns the number of rows that an open table may still get; below 0 if it has too many. */
  long rowsLeft(int table) {
    return settings.mostRows() - rows[table];
  }

  /**
   * Returns how many more bytes rows and counts of open tables may take; below 0 if they already
   * take too many.
   */
  long bytesLeft() {
    return settings.slowBytes() - bytesTaken();
  }

  /**
   * Returns the bytes of the store that one more row takes.
   *
   * @param counted whether it replaces the count of its id
   */
  long bytesOfRow(int table, boolean counted) {
    return rowBytes[table] - (counted ? COUNT_BYTES : 0);
  }

  /** Returns whether there is room to count another id of a table. */
  boolean counts(int table) {
    return counts[table] < settings.mostRows() && bytesLeft() >= COUNT_BYTES;
  }

  /** Returns whether some table counts ids and has no room to count more. */
  boolean countsAreFull() {
    for (int table = 0; table < counts.length; table++) {
      if (counts[table] > 0 && !counts(table)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether an open table has more rows, or the store more bytes, than the limits allow.
   */
  boolean excess(int table) {
    return !fixed(table) && rows[table] > 0 && (rowsLeft(table) < 0 || bytesLeft() < 0);
  }

  boolean anyExcess() {
    for (int table = 0; table < rows.length; table++) {
      if (excess(table)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the fraction of a table's rows that exceeds the limits, 0 to 1; 0 for a table of fixed
   * size.
   */
  double excessShare(int table) {
    if (fixed(table) || rows[table] == 0) {
      return 0;
    }
    long bytes = 0;
    for (int each = 0; each < rows.length; each++) {
      bytes += fixed(each) ? 0 : rows[each] * rowBytes[each];
    }
    double tooMany = -(double) rowsLeft(table) / rows[table];
    double tooLarge = -(double) bytesLeft() / bytes;
    return Math.max(0, Math.min(1, Math.max(tooMany, tooLarge)));
  }
}
