package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.hot.LogEntry;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.RowLog;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoredRow;
import io.idlalayer.middleware.sample.change.ColumnMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Converts the stored rows of embedding tables after a change of the tables: those of tables that
 * are gone are deleted, the others get the number that their table has now, and wide parts get the
 * weights of the classes that there are now. A table is known by its name. In each row, a new class
 * gets the mean of the weights of the other classes, as it does in the network. Belongs to one
 * thread.
 */
public final class TablesChange {
  /** Number of rows that are read before they are written. */
  private static final int ROWS_AT_ONCE = 2_000;

  private final EmbeddingPlan before;
  private final EmbeddingPlan now;
  private final ColumnMap classes;

  /** For each table before the change its number after it; -1 if it is gone. */
  private final int[] numbers;

  /**
   * @param before plan of the tables that the rows are of
   * @param now plan of the tables after the change; those of equal names have vectors of equal
   *     lengths and one updater
   * @param classes where the weights of wide parts come from, if rows have these
   */
  public TablesChange(EmbeddingPlan before, EmbeddingPlan now, ColumnMap classes) {
    this.before = before;
    this.now = now;
    this.classes = classes;
    Map<String, Integer> places = new HashMap<>();
    now.tables().forEach(table -> places.put(table.name(), places.size()));
    numbers =
        before.tables().stream().mapToInt(table -> places.getOrDefault(table.name(), -1)).toArray();
  }

  /** Returns whether any stored row must change or go. */
  private boolean touchesRows() {
    for (int table = 0; table < numbers.length; table++) {
      if (numbers[table] != table || !same(table)) {
        return true;
      }
    }
    return false;
  }

  private boolean same(int table) {
    return before.tables().get(table).layout().equals(now.tables().get(numbers[table]).layout())
        && (before.tables().get(table).wide() == 0 || classes.isUnchanged());
  }

  /**
   * Converts the rows of a store: first those of its log, which are newer, are written to it. The
   * copies of rows as they were after earlier updates are deleted.
   *
   * @param snapshot what {@link RowTables#snapshot} returned before the change
   * @return the snapshot after the change
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the snapshot cannot be read
   * @throws io.idlalayer.middleware.embedding.store.RowStoreException if a row is damaged
   */
  public byte[] convert(RowStore store, byte[] snapshot) {
    writeLog(store);
    forget(store.history());
    if (touchesRows()) {
      convertRows(store);
    }
    return TablesState.changed(snapshot, numbers, now.tables().size());
  }

  /** Writes the rows of the log of changes to their places, the latest of each row. */
  private static void writeLog(RowStore store) {
    Deque<byte[]> latestFirst = new ArrayDeque<>();
    int rows = 0;
    for (Map.Entry<Long, byte[]> each : store.changes().entries()) {
      latestFirst.push(each.getValue());
      rows += LogEntry.rows(each.getValue());
    }
    RowKeys known = new RowKeys(rows);
    for (byte[] entry : latestFirst) {
      Map<Long, byte[]> latest = new HashMap<>();
      LogEntry.read(
          entry,
          new LogEntry.Reader() {
            @Override
            public void row(long rowKey, byte[] row) {
              if (known.add(rowKey)) {
                latest.put(rowKey, row);
              }
            }

            @Override
            public void inStore(long rowKey) {
              known.add(rowKey);
            }
          });
      store.write(latest);
    }
    forget(store.changes());
  }

  private static void forget(RowLog log) {
    List<Long> numbers = new ArrayList<>();
    log.entries().forEach(each -> numbers.add(each.getKey()));
    numbers.forEach(number -> log.forget(number, number));
  }

  /**
   * Converts all rows. The keys are listed first, because an iterator of a store may pass over rows
   * while others change.
   */
  private void convertRows(RowStore store) {
    long[] keys = keys(store);
    for (int from = 0; from < keys.length; from += ROWS_AT_ONCE) {
      long[] some = Arrays.copyOfRange(keys, from, Math.min(keys.length, from + ROWS_AT_ONCE));
      Map<Long, byte[]> changed = new HashMap<>();
      long[] gone = new long[some.length];
      int[] removed = {0};
      store.read(
          some,
          some.length,
          (i, row) -> {
            StoredRow head = StoredRow.head(row, before);
            if (numbers[head.table()] < 0) {
              gone[removed[0]++] = some[i];
            } else if (numbers[head.table()] != head.table() || !same(head.table())) {
              changed.put(some[i], converted(head, row));
            }
          });
      store.remove(gone, removed[0]);
      store.write(changed);
    }
  }

  private static long[] keys(RowStore store) {
    long[] keys = new long[ROWS_AT_ONCE];
    int count = 0;
    for (Iterator<Map.Entry<Long, byte[]>> rows = store.rows(); rows.hasNext(); ) {
      if (count == keys.length) {
        keys = Arrays.copyOf(keys, 2 * count);
      }
      keys[count++] = rows.next().getKey();
    }
    return Arrays.copyOf(keys, count);
  }

  private byte[] converted(StoredRow head, byte[] row) {
    StoredRow moved =
        new StoredRow(
            numbers[head.table()],
            head.kind(),
            head.key(),
            head.occurrences(),
            head.lastUseSeconds(),
            head.steps());
    if (head.kind() != RowKind.ROW) {
      return moved.encode(new float[0], 0, 0);
    }
    EmbeddingPlan.Table was = before.tables().get(head.table());
    EmbeddingPlan.Table is = now.tables().get(moved.table());
    float[] values = new float[was.layout().stride()];
    StoredRow.floats(row, values, 0, values.length);
    float[] changed = changed(values, was, is.layout());
    return moved.encode(changed, 0, changed.length);
  }

  /** Returns the weights of a row and the state of its updater. */
  private float[] changed(float[] values, EmbeddingPlan.Table was, RowLayout is) {
    float[] changed = new float[is.stride()];
    ColumnMap weights =
        was.wide() == 0
            ? ColumnMap.unchanged(was.vector())
            : ColumnMap.unchanged(was.vector()).then(classes);
    copy(weights, values, 0, changed, 0);
    for (int i = 0; i < weights.after(); i++) {
      if (weights.source(i) == ColumnMap.ADDED) {
        changed[i] = meanOfWide(weights, changed, was.vector());
      }
    }
    if (is.updater() == RowUpdater.ROW_WISE_ADAGRAD) {
      changed[is.weights()] = values[was.layout().weights()];
    } else {
      int arrays = is.updater().stateLength(is.weights()) / is.weights();
      for (int i = 1; i <= arrays; i++) {
        copy(weights, values, i * weights.before(), changed, i * weights.after());
      }
    }
    return changed;
  }

  private static void copy(ColumnMap map, float[] values, int from, float[] into, int to) {
    for (int i = 0; i < map.after(); i++) {
      if (map.source(i) != ColumnMap.ADDED) {
        into[to + i] = values[from + map.source(i)];
      }
    }
  }

  private static float meanOfWide(ColumnMap weights, float[] values, int from) {
    double sum = 0;
    int count = 0;
    for (int i = from; i < weights.after(); i++) {
      if (weights.source(i) != ColumnMap.ADDED) {
        sum += values[i];
        count++;
      }
    }
    return (float) (sum / count);
  }
}
