package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.batch.RowSet;
import io.idlalayer.middleware.embedding.hot.Tiers;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.sample.IdLists;
import org.jspecify.annotations.Nullable;

/**
 * Counts the occurrences of ids without an embedding row, and creates the first row of an id. One
 * thread.
 */
final class NewIds {
  private final EmbeddingPlan plan;
  private final RowRule rule;
  private final Admission admission;
  private final TableSizes sizes;
  private final Tiers tiers;
  private final @Nullable OccurrenceFilter filter;
  private final long[] refused;

  /**
   * @param filter counts ids that have neither row nor count in the store; null if each id gets a
   *     count at once
   */
  NewIds(
      RowRule rule,
      Admission admission,
      TableSizes sizes,
      Tiers tiers,
      @Nullable OccurrenceFilter filter) {
    plan = tiers.plan();
    this.rule = rule;
    this.admission = admission;
    this.sizes = sizes;
    this.tiers = tiers;
    this.filter = filter;
    refused = new long[plan.tables().size()];
  }

  /**
   * Creates rows for the ids of a set that have none. An open table admits ids that have occurred
   * often enough, as far as there is room; a table of fixed size admits all. The row for missing
   * ids is created at once, in every table.
   *
   * @param bytesLeft bytes of the store that rows may still take
   * @return bytes of the store that are left
   */
  long admit(int table, RowSet set, long bytesLeft) {
    boolean fixed = plan.tables().get(table).index().fixed();
    long rowsLeft = sizes.rowsLeft(table);
    long left = bytesLeft;
    for (int position = 0; position < set.size(); position++) {
      int fresh = set.fresh(position);
      boolean missing = set.key(position) == IdLists.MISSING;
      if (set.kind(position) == RowKind.ROW || (fresh == 0 && !missing)) {
        continue;
      }
      if (fixed || missing) {
        begin(table, set, position);
        continue;
      }
      int before = occurrences(table, set, position);
      if ((long) before + fresh >= admission.after()) {
        long bytes = sizes.bytesOfRow(table, set.kind(position) == RowKind.COUNTED);
        if (rowsLeft > 0 && bytes <= left) {
          rowsLeft--;
          left -= bytes;
          set.use(position, before, 0, 0);
          begin(table, set, position);
        } else {
          refused[table]++;
        }
      }
    }
    return left;
  }

  /** Returns how often an id without a row occurred before the samples of the running training. */
  private int occurrences(int table, RowSet set, int position) {
    OccurrenceFilter counts = filter;
    return counts == null || set.kind(position) == RowKind.COUNTED
        ? set.occurrences(position)
        : counts.count(plan.tables().get(table).rowKey(set.key(position)));
  }

  /**
   * Creates the row of an id with its initial numbers. Its numbers depend only on the seed, the
   * table and the id.
   */
  private void begin(int table, RowSet set, int position) {
    EmbeddingPlan.Table of = plan.tables().get(table);
    rule.begin(of, set.key(position), set.values(), set.at(position), of.layout().stride());
    set.begin(position);
  }

  /**
   * Counts the occurrences of ids without a row, if admission needs these counts. Called after a
   * training was accepted.
   */
  void count(int table, RowSet set, long nowSeconds) {
    if (admission.after() == 1) {
      return;
    }
    for (int position = 0; position < set.size(); position++) {
      boolean comes = set.kind(position) == RowKind.NEW && set.fresh(position) > 0;
      // If there is no room, the next sweep makes room.
      if (comes && passes(table, set, position, nowSeconds) && sizes.counts(table)) {
        sizes.addCounts(table, 1);
        set.kind(position, RowKind.COUNTED);
        tiers.put(table, set, position);
      }
    }
  }

  /** Returns whether an id gets a count in the store; if not, the filter counts it. */
  private boolean passes(int table, RowSet set, int position, long nowSeconds) {
    OccurrenceFilter counts = filter;
    if (counts == null) {
      return true;
    }
    long rowKey = plan.tables().get(table).rowKey(set.key(position));
    int count = counts.add(rowKey, set.fresh(position), nowSeconds);
    set.use(position, count, (int) nowSeconds, 0);
    return admission.counter() == Admission.Counter.BOTH && count > 1;
  }

  /** Returns how often an id of a table got no row because the table or the store was full. */
  long refused(int table) {
    return refused[table];
  }
}
