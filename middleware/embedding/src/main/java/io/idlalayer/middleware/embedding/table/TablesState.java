package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the snapshot of the embedding tables: all state that is not in their store. One thread.
 */
final class TablesState {
  /** Format of the snapshot; version 1 counted the rows of missing values among those of ids. */
  private static final StateFormat FORMAT = new StateFormat("embedding tables", 2, 2);

  /** Field that is there after a change of the tables only. */
  private static final int OTHER_ROWS = 10;

  private final RowStore store;
  private final TableSizes sizes;
  private final @Nullable OccurrenceFilter filter;
  private final RowHistory history;
  private final Deletions deletions;

  TablesState(
      RowStore store,
      TableSizes sizes,
      @Nullable OccurrenceFilter filter,
      RowHistory history,
      Deletions deletions) {
    this.store = store;
    this.sizes = sizes;
    this.filter = filter;
    this.history = history;
    this.deletions = deletions;
  }

  /**
   * @param otherRowsUpTo last version whose rows are of other tables; 0 for none
   */
  byte[] snapshot(long otherRowsUpTo) {
    List<RemovedRow> removed = deletions.untold();
    StateWriter out =
        FORMAT
            .writer()
            .putLongs(1, sizes.rows())
            .putLongs(2, sizes.counts())
            .putLongs(3, removed.stream().mapToLong(RemovedRow::table).toArray())
            .putLongs(4, removed.stream().mapToLong(RemovedRow::key).toArray())
            .putLongs(5, shapeOfFilter())
            .putLongs(6, history.updates())
            .putTexts(7, history.versions())
            .putLongs(8, history.entryNumbers())
            .putLongs(9, history.entryUpdates());
    return otherRowsUpTo == 0 ? out.bytes() : out.putLong(OTHER_ROWS, otherRowsUpTo).bytes();
  }

  /**
   * Restores the state of the tables from a snapshot.
   *
   * @return the last version whose rows are of other tables; 0 for none
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it cannot be read
   */
  long restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    long[] rows = in.getLongs(1);
    long[] counted = in.getLongs(2);
    int known = sizes.rows().length;
    if (rows.length != known || counted.length != known) {
      throw in.refused(
          String.format(Locale.ROOT, "it is of %d tables instead of %d", rows.length, known));
    }
    sizes.restore(rows, counted);
    long[] tables = in.getLongs(3);
    long[] keys = in.getLongs(4);
    List<RemovedRow> removed = new ArrayList<>();
    for (int i = 0; i < keys.length; i++) {
      removed.add(new RemovedRow((int) tables[i], keys[i]));
    }
    deletions.restore(removed);
    restoreFilter(in.getLongs(5));
    history.restore(in.getLongs(6), in.getTexts(7), in.getLongs(8), in.getLongs(9));
    return in.has(OTHER_ROWS) ? in.getLong(OTHER_ROWS) : 0;
  }

  /**
   * Returns a snapshot of other tables. What was deleted and not published yet, and the rows after
   * earlier updates, are forgotten: the next version has all rows.
   *
   * @param numbers for each table before the change its number after it; -1 if it is gone
   * @param tables number of tables after the change
   */
  static byte[] changed(byte[] snapshot, int[] numbers, int tables) {
    StateReader in = FORMAT.reader(snapshot);
    long[] rows = new long[tables];
    long[] counts = new long[tables];
    for (int table = 0; table < numbers.length; table++) {
      if (numbers[table] >= 0) {
        rows[numbers[table]] = in.getLongs(1)[table];
        counts[numbers[table]] = in.getLongs(2)[table];
      }
    }
    return FORMAT
        .writer()
        .putLongs(1, rows)
        .putLongs(2, counts)
        .putLongs(3, new long[0])
        .putLongs(4, new long[0])
        .putLongs(5, in.getLongs(5))
        .putLongs(6, new long[0])
        .putTexts(7, List.of())
        .putLongs(8, new long[0])
        .putLongs(9, new long[0])
        .bytes();
  }

  private long[] shapeOfFilter() {
    OccurrenceFilter counts = filter;
    return counts == null ? new long[0] : counts.shape();
  }

  /**
   * Restores the counts of the filter from the store. A filter of another size cannot read them, so
   * it begins empty.
   */
  private void restoreFilter(long[] shape) {
    OccurrenceFilter counts = filter;
    if (counts != null && Arrays.equals(shape, counts.shape())) {
      counts.read(store.filter());
    } else if (shape.length > 0) {
      store.clearFilter();
    }
  }
}
