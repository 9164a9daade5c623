package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.hot.HotRows;
import io.idlalayer.middleware.embedding.hot.LogEntry;
import io.idlalayer.middleware.embedding.hot.Tier;
import io.idlalayer.middleware.embedding.hot.Tiers;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.sample.IdLists;

/** Writes the embedding rows of accepted trainings to the tables. One thread. */
final class RowCommit {
  private final EmbeddingPlan plan;
  private final Tiers tiers;
  private final TableSizes sizes;
  private final NewIds newIds;
  private final DirtyRows dirty;
  private final Deletions deletions;
  private final long[] admitted;
  private long outOfRange;

  RowCommit(Tiers tiers, TableSizes sizes, NewIds newIds, DirtyRows dirty, Deletions deletions) {
    plan = tiers.plan();
    this.tiers = tiers;
    this.sizes = sizes;
    this.newIds = newIds;
    this.dirty = dirty;
    this.deletions = deletions;
    admitted = new long[plan.tables().size()];
  }

  /**
   * Writes the trained copies of rows back to the tables. Rows that stay in DRAM go to the log; the
   * others wait to be written to the store.
   *
   * @param nowSeconds time of their use, since 1970
   */
  void commit(RowBatch trained, long nowSeconds) {
    LogEntry entry = new LogEntry();
    for (int table = 0; table < plan.tables().size(); table++) {
      RowSet set = trained.rows(table);
      outOfRange += set.fresh(set.place(IdLists.UNKNOWN));
      for (int position = 0; position < set.size(); position++) {
        set.used(position, (int) nowSeconds);
        switch (set.kind(position)) {
          case NEW -> {}
          case COUNTED -> {
            if (deletions.meanwhile(table, set.key(position))) {
              sizes.addCounts(table, 1);
            }
            tiers.put(table, set, position);
          }
          case ROW -> commitRow(table, set, position, entry);
        }
      }
    }
    // Last, because rows were promised their room.
    for (int table = 0; table < plan.tables().size(); table++) {
      newIds.count(table, trained.rows(table), nowSeconds);
    }
    dirty.append(entry);
  }

  private void commitRow(int table, RowSet set, int position, LogEntry entry) {
    if (!set.changed(position)) {
      // This is the row of unknown ids, which no sample has used.
      return;
    }
    if (!TableSizes.own(set.key(position))) {
      countRow(table, set, position);
    }
    Tier tier = tiers.of(table);
    HotRows rows = tier.rows();
    long rowKey = plan.tables().get(table).rowKey(set.key(position));
    int slot = rows.find(rowKey, set, position);
    if (slot == HotRows.NONE) {
      if (!tier.room(rowKey)) {
        tiers.put(table, set, position);
        if (!dirty.none()) {
          entry.inStore(rowKey);
        }
        return;
      }
      slot = tier.enter(rowKey, table, true);
    }
    rows.copyFrom(slot, set, position);
    rows.dirty(slot, true);
    entry.row(rowKey, rows, slot);
  }

  /** Increases the number of rows of a table if the row is new or was deleted while it trained. */
  private void countRow(int table, RowSet set, int position) {
    boolean deleted = deletions.meanwhile(table, set.key(position));
    if (set.begun(position)) {
      sizes.addRows(table, 1);
      admitted[table]++;
      if (set.counted(position) && !deleted) {
        sizes.addCounts(table, -1);
      }
    } else if (deleted) {
      sizes.addRows(table, 1);
    }
  }

  /** Returns the number of ids of a table that got a row. */
  long admitted(int table) {
    return admitted[table];
  }

  /** Returns how often an id of a new sample was outside the fixed row numbers of its table. */
  long outOfRange() {
    return outOfRange;
  }
}
