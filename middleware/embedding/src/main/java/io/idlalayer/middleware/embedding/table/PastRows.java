package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.hot.HotRows;
import io.idlalayer.middleware.embedding.hot.LogEntry;
import io.idlalayer.middleware.embedding.hot.Tier;
import io.idlalayer.middleware.embedding.hot.Tiers;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.StoredRow;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Returns embedding rows to their values right after an earlier update: adds rows to the {@link
 * RowHistory} before an update changes them, copies earlier rows, and restores all rows. One
 * thread.
 */
final class PastRows {
  private final EmbeddingPlan plan;
  private final RowHistory history;
  private final Tiers tiers;
  private final TableSizes sizes;
  private final DirtyRows dirty;
  private final Deletions deletions;

  PastRows(
      RowHistory history, Tiers tiers, TableSizes sizes, DirtyRows dirty, Deletions deletions) {
    plan = tiers.plan();
    this.history = history;
    this.tiers = tiers;
    this.sizes = sizes;
    this.dirty = dirty;
    this.deletions = deletions;
  }

  // ---- collected ------------------------------------------------------------------------------

  /**
   * Adds the rows that a training is about to change to the history, if they may be needed again.
   */
  void beforeCommit(RowBatch trained) {
    if (!history.active()) {
      return;
    }
    Map<Long, byte[]> before = new HashMap<>();
    long bytes = 0;
    for (int table = 0; table < plan.tables().size(); table++) {
      RowSet set = trained.rows(table);
      bytes += rowsBefore(table, set, before);
      if (history.exceededBy(before.size(), bytes)) {
        history.forgetAll();
        return;
      }
    }
    history.changed(before);
  }

  /**
   * Collects the present state of the rows of a table that a training is about to change.
   *
   * @return their bytes
   */
  private long rowsBefore(int table, RowSet set, Map<Long, byte[]> into) {
    EmbeddingPlan.Table of = plan.tables().get(table);
    HotRows rows = tiers.of(table).rows();
    long rowBytes = HotRows.rowBytes(of.layout());
    long[] cold = new long[set.size()];
    int count = 0;
    long[] bytes = {0};
    for (int position = 0; position < set.size(); position++) {
      long rowKey = of.rowKey(set.key(position));
      if (!set.changed(position) || !history.wants(rowKey)) {
        continue;
      }
      int slot = rows.find(rowKey);
      if (slot != HotRows.NONE) {
        into.put(rowKey, rows.encode(slot));
        bytes[0] += rowBytes;
      } else {
        into.put(rowKey, RowHistory.NO_ROW);
        boolean nothing =
            set.begun(position)
                && !set.counted(position)
                && !deletions.meanwhile(table, set.key(position));
        if (!nothing) {
          cold[count++] = rowKey;
        }
      }
      if (history.exceededBy(into.size(), bytes[0] + count * rowBytes)) {
        return bytes[0] + count * rowBytes;
      }
    }
    tiers
        .cold()
        .look(
            cold,
            count,
            (i, row) -> {
              into.put(cold[i], row);
              bytes[0] += row.length;
            });
    return bytes[0];
  }

  // ---- copied ---------------------------------------------------------------------------------

  /** Copies rows as they were right after an update, see {@link RowTables#asOf}. */
  RowBatch asOf(long update, RowBatch gathered) {
    requireRemembered(update);
    RowBatch then = gathered.copy();
    for (int table = 0; table < plan.tables().size(); table++) {
      EmbeddingPlan.Table of = plan.tables().get(table);
      RowSet set = then.rows(table);
      for (int position = 0; position < set.size(); position++) {
        byte[] row = history.row(update, of.rowKey(set.key(position)));
        if (row != null) {
          asItWas(row, set, position);
        }
      }
    }
    return then;
  }

  /** Copies rows as if no id had one, see {@link RowTables#withoutRows}. */
  RowBatch without(RowBatch gathered) {
    RowBatch none = gathered.copy();
    for (int table = 0; table < plan.tables().size(); table++) {
      RowSet set = none.rows(table);
      for (int position = 0; position < set.size(); position++) {
        asItWas(RowHistory.NO_ROW, set, position);
      }
    }
    return none;
  }

  private void asItWas(byte[] row, RowSet set, int position) {
    boolean was = row.length > 0 && StoredRow.head(row, plan).kind() == RowKind.ROW;
    int at = set.at(position);
    int floats = set.layout().stride();
    if (was) {
      StoredRow.floats(row, set.values(), at, floats);
    } else {
      Arrays.fill(set.values(), at, at + floats, 0);
    }
    // The row of unknown ids always exists.
    boolean isRow = was || set.key(position) == IdLists.UNKNOWN;
    set.kind(position, isRow ? RowKind.ROW : RowKind.NEW);
  }

  private void requireRemembered(long update) {
    if (!history.knows(update)) {
      throw new IllegalStateException("the rows after this update are not remembered: " + update);
    }
  }

  // ---- the way back ---------------------------------------------------------------------------

  /** Restores all rows as they were right after an update, see {@link RowTables#goBack}. */
  void goBack(long update) {
    requireRemembered(update);
    deletions.trainsNothing();
    Map<Long, byte[]> rows = history.since(update);
    Map<Long, StoredRow> stored = storedHeads(rows);
    LogEntry entry = new LogEntry();
    List<Long> gone = new ArrayList<>();
    rows.forEach((rowKey, row) -> putBack(rowKey, row, stored.get(rowKey), entry, gone));
    deletions.takeBack(rows.keySet());
    tiers.cold().remove(gone.stream().mapToLong(Long::longValue).toArray(), gone.size());
    tiers.cold().write();
    dirty.append(entry);
    history.wentBack(update);
  }

  /** Returns the stored heads of those of some rows that are not hot. */
  private Map<Long, StoredRow> storedHeads(Map<Long, byte[]> rows) {
    long[] keys =
        rows.keySet().stream()
            .mapToLong(Long::longValue)
            .filter(rowKey -> tiers.holding(rowKey) == null)
            // In the order of the store, which is that of unsigned numbers.
            .map(rowKey -> rowKey ^ Long.MIN_VALUE)
            .sorted()
            .map(rowKey -> rowKey ^ Long.MIN_VALUE)
            .toArray();
    Map<Long, StoredRow> heads = new HashMap<>();
    tiers.cold().look(keys, keys.length, (i, row) -> heads.put(keys[i], StoredRow.head(row, plan)));
    return heads;
  }

  private void putBack(
      long rowKey, byte[] row, @Nullable StoredRow stored, LogEntry entry, List<Long> gone) {
    StoredRow before = row.length == 0 ? null : StoredRow.head(row, plan);
    Tier tier = tiers.holding(rowKey);
    HotRows hotIn = tier == null ? null : tier.rows();
    int slot = hotIn == null ? HotRows.NONE : hotIn.find(rowKey);
    count(hotIn == null ? stored : hotIn.head(slot), -1);
    count(before, 1);
    if (hotIn != null && before != null && before.kind() == RowKind.ROW) {
      hotIn.decode(slot, before, row);
      hotIn.dirty(slot, true);
      entry.row(rowKey, row);
      return;
    }
    if (hotIn != null) {
      hotIn.remove(slot);
    }
    if (before == null) {
      gone.add(rowKey);
    } else {
      tiers.cold().put(rowKey, row);
    }
    entry.inStore(rowKey);
  }

  /**
   * Changes the number of rows or counts of a table, which does not include the rows of missing and
   * of unknown ids.
   *
   * @param like the row or count that is added; null for none
   * @param more number to add, negative to subtract
   */
  private void count(@Nullable StoredRow like, int more) {
    if (like == null || TableSizes.own(like.key())) {
      return;
    }
    switch (like.kind()) {
      case NEW -> {}
      case COUNTED -> sizes.addCounts(like.table(), more);
      case ROW -> sizes.addRows(like.table(), more);
    }
  }
}
