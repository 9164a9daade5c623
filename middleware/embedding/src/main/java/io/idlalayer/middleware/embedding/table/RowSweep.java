package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.hot.HotRows;
import io.idlalayer.middleware.embedding.hot.LogEntry;
import io.idlalayer.middleware.embedding.hot.Tiers;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoredRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Scans the store of embedding rows from time to time, a part in each call. Deletes unused rows and
 * counts, and rows above the limits. Halves counts when there is no room for new ones, and counts
 * of the filter when they are old. One thread.
 */
final class RowSweep {
  private static final long SECONDS_BETWEEN = 600;
  private static final float[] NO_FLOATS = {};

  private final EmbeddingPlan plan;
  private final Expiry expiry;
  private final RowStore store;
  private final Tiers tiers;
  private final TableSizes sizes;
  private final @Nullable OccurrenceFilter filter;
  private final RowHistory history;
  private final DirtyRows dirty;
  private final Deletions deletions;
  private final Map<Expiry.Reason, Long> expired = new EnumMap<>(Expiry.Reason.class);
  private final long[] expiredOf;
  private @Nullable Scan scan;
  private long nextSeconds = Long.MIN_VALUE;

  /** A scan of the store that is running. */
  private static final class Scan {
    final Iterator<Map.Entry<Long, byte[]>> rows;

    /** Whether this scan halves the counts of ids without a row. */
    final boolean agesCounts;

    /** For each table, the fraction of its rows that exceeds the limits. */
    final double[] excessShares;

    /**
     * For each table, how many of the rows visited so far must still be deleted because the table
     * exceeds the limits.
     */
    final double[] excess;

    /** First block of the filter that this scan has not aged yet. */
    int block;

    Scan(Iterator<Map.Entry<Long, byte[]>> rows, TableSizes sizes) {
      this.rows = rows;
      agesCounts = sizes.countsAreFull();
      excess = new double[sizes.rows().length];
      excessShares = new double[excess.length];
      Arrays.setAll(excessShares, sizes::excessShare);
    }

    /**
     * Chooses rows to delete because their table exceeds the limits: in each table those that were
     * used longest ago. Rows are visited in the order of hashes, so the rows of one step are a
     * random sample of all.
     */
    List<Seen> tooMany(List<Seen> looked) {
      List<Seen> oldestFirst = new ArrayList<>(looked);
      oldestFirst.sort(
          Comparator.comparingLong(Seen::lastUseSeconds).thenComparingLong(Seen::rowKey));
      for (Seen each : looked) {
        excess[each.head().table()] += excessShares[each.head().table()];
      }
      List<Seen> chosen = new ArrayList<>();
      for (Seen each : oldestFirst) {
        if (excess[each.head().table()] > 0) {
          excess[each.head().table()]--;
          chosen.add(each);
        }
      }
      return chosen;
    }
  }

  /**
   * The current state of a row or a count that the scan visits; a hot row may be newer than the
   * stored one.
   *
   * @param slot slot of a hot row, else {@link HotRows#NONE}
   * @param norm L2 norm of the row's weights; 0 for a count
   */
  private record Seen(
      long rowKey,
      StoredRow head,
      int slot,
      RowKind kind,
      int occurrences,
      long lastUseSeconds,
      DoubleSupplier norm) {
    /** Returns whether this is the row of an id, and not the one for missing or for unknown ids. */
    boolean isOfAnId() {
      return kind == RowKind.ROW && !TableSizes.own(head.key());
    }

    /**
     * Returns whether the last use of a row lies so far in the future that the clock must have been
     * set back: further than the time from a training to its acceptance.
     */
    boolean usedAfter(long nowSeconds) {
      return lastUseSeconds - nowSeconds > SECONDS_BETWEEN;
    }
  }

  RowSweep(
      RowSettings settings,
      RowStore store,
      Tiers tiers,
      TableSizes sizes,
      @Nullable OccurrenceFilter filter,
      RowHistory history,
      DirtyRows dirty,
      Deletions deletions) {
    plan = tiers.plan();
    expiry = settings.expiry();
    this.store = store;
    this.tiers = tiers;
    this.sizes = sizes;
    this.filter = filter;
    this.history = history;
    this.dirty = dirty;
    this.deletions = deletions;
    expiredOf = new long[plan.tables().size()];
  }

  /** Returns whether it is time to begin a scan; true also after the clock was set back. */
  boolean due(long nowSeconds) {
    if (scan != null) {
      return false;
    }
    boolean wanted = expiry.deletes() || sizes.countsAreFull() || sizes.anyExcess();
    return wanted && (nowSeconds >= nextSeconds || nextSeconds - nowSeconds > SECONDS_BETWEEN);
  }

  /** Begins a scan of the store. No row may be dirty, because a scan sees the store only. */
  void begin(long nowSeconds) {
    nextSeconds = nowSeconds + SECONDS_BETWEEN;
    tiers.cold().write();
    scan = new Scan(store.rows(), sizes);
  }

  /** Returns whether a scan is running and can continue. */
  boolean busy() {
    return scan != null && !deletions.full();
  }

  /**
   * Continues the running scan, if the sweep is {@link #busy}.
   *
   * @param most number of rows, and of blocks of the filter, to look at
   * @return whether something was deleted
   */
  boolean step(int most, long nowSeconds) {
    Scan running = scan;
    if (running == null || deletions.full()) {
      return false;
    }
    long[] suspects = new long[most];
    int count = 0;
    int looked = 0;
    List<Seen> others = new ArrayList<>();
    while (looked < most && running.rows.hasNext()) {
      looked++;
      Map.Entry<Long, byte[]> each = running.rows.next();
      Seen seen = see(each.getKey(), each.getValue());
      boolean ages = running.agesCounts && seen.kind() == RowKind.COUNTED;
      if (ages || seen.usedAfter(nowSeconds) || reason(seen, nowSeconds) != null) {
        suspects[count++] = each.getKey();
      } else if (seen.isOfAnId() && running.excessShares[seen.head().table()] > 0) {
        others.add(seen);
      }
    }
    Map<Long, Long> tooMany = new HashMap<>();
    for (Seen each : running.tooMany(others)) {
      suspects[count++] = each.rowKey();
      tooMany.put(each.rowKey(), each.lastUseSeconds());
    }
    if (!running.rows.hasNext() && ageFilter(running, most, nowSeconds)) {
      scan = null;
    }
    // The iterator may have read rows before they changed.
    LogEntry entry = new LogEntry();
    List<Long> old = new ArrayList<>();
    Map<Long, byte[]> before = new HashMap<>();
    tiers
        .cold()
        .look(
            suspects,
            count,
            (i, row) -> {
              Seen seen = see(suspects[i], row);
              Expiry.Reason reason = reason(seen, nowSeconds);
              Long chosen = tooMany.get(seen.rowKey());
              boolean unchanged = chosen != null && chosen == seen.lastUseSeconds();
              if (reason == null && unchanged && sizes.excess(seen.head().table())) {
                reason = Expiry.Reason.EXCESS;
              }
              if (reason != null) {
                if (seen.kind() == RowKind.ROW && history.wants(seen.rowKey())) {
                  before.put(seen.rowKey(), bytesOf(seen, row));
                }
                delete(seen);
                if (seen.kind() == RowKind.ROW) {
                  expired.merge(reason, 1L, Long::sum);
                  expiredOf[seen.head().table()]++;
                }
                entry.inStore(seen.rowKey());
                old.add(seen.rowKey());
              } else if (seen.usedAfter(nowSeconds)) {
                usedNow(seen, row, nowSeconds, entry);
              } else if (running.agesCounts && seen.kind() == RowKind.COUNTED) {
                age(seen, old);
              }
            });
    history.changed(before);
    tiers.cold().remove(old.stream().mapToLong(Long::longValue).toArray(), old.size());
    tiers.cold().write();
    dirty.append(entry);
    return !old.isEmpty();
  }

  /**
   * Continues to age the filter: its counts are halved as often as unused rows expire.
   *
   * @param most number of blocks to look at
   * @return whether it is done
   */
  private boolean ageFilter(Scan running, int most, long nowSeconds) {
    OccurrenceFilter counts = filter;
    double ageSeconds = expiry.unusedSeconds();
    if (counts == null || ageSeconds == 0) {
      return true;
    }
    int to = Math.min(counts.blocks(), running.block + most);
    counts.age(running.block, to, ageSeconds, nowSeconds);
    running.block = to;
    counts.write(store);
    return to == counts.blocks();
  }

  private Seen see(long rowKey, byte[] row) {
    StoredRow head = StoredRow.head(row, plan);
    int weights = plan.tables().get(head.table()).layout().weights();
    HotRows rows = tiers.of(head.table()).rows();
    int slot = rows.find(rowKey);
    // A row that is hot may have been a count when it was stored.
    return slot == HotRows.NONE
        ? new Seen(
            rowKey,
            head,
            slot,
            head.kind(),
            head.occurrences(),
            Integer.toUnsignedLong(head.lastUseSeconds()),
            () -> StoredRow.norm(row, head.kind() == RowKind.ROW ? weights : 0))
        : new Seen(
            rowKey,
            head,
            slot,
            RowKind.ROW,
            rows.occurrences(slot),
            Integer.toUnsignedLong(rows.lastUseSeconds(slot)),
            () -> rows.norm(slot, weights));
  }

  /**
   * @param stored the bytes of the row or count in the store
   */
  private byte[] bytesOf(Seen seen, byte[] stored) {
    return seen.slot() == HotRows.NONE
        ? stored
        : tiers.of(seen.head().table()).rows().encode(seen.slot());
  }

  /** Returns the reason for which a row or a count is deleted; null if it stays. */
  private Expiry.@Nullable Reason reason(Seen seen, long nowSeconds) {
    long idleSeconds = nowSeconds - seen.lastUseSeconds();
    boolean stays = plan.tables().get(seen.head().table()).index().fixed();
    if (stays || TableSizes.own(seen.head().key())) {
      return null;
    }
    if (seen.kind() == RowKind.COUNTED) {
      return expiry.forgets(idleSeconds) ? Expiry.Reason.UNUSED : null;
    }
    return expiry.reason(idleSeconds, seen.occurrences(), seen.norm());
  }

  /**
   * Sets the last use of a row to the present, because the clock was ahead when the row was used.
   * Otherwise the row would stay for as long as the clock was wrong.
   */
  private void usedNow(Seen seen, byte[] row, long nowSeconds, LogEntry entry) {
    if (seen.slot() == HotRows.NONE) {
      byte[] later = row.clone();
      StoredRow.lastUse(later, (int) nowSeconds);
      tiers.cold().put(seen.rowKey(), later);
      entry.inStore(seen.rowKey());
    } else {
      HotRows rows = tiers.of(seen.head().table()).rows();
      rows.lastUse(seen.slot(), (int) nowSeconds);
      rows.dirty(seen.slot(), true);
      entry.row(seen.rowKey(), rows, seen.slot());
    }
  }

  /**
   * Halves the count of an id without a row, so that ids that occurred once or twice long ago make
   * room for others.
   */
  private void age(Seen seen, List<Long> old) {
    StoredRow head = seen.head();
    int left = head.occurrences() / 2;
    if (left == 0) {
      delete(seen);
      old.add(seen.rowKey());
    } else {
      StoredRow less =
          new StoredRow(
              head.table(), head.kind(), head.key(), left, head.lastUseSeconds(), head.steps());
      tiers.cold().put(seen.rowKey(), less.encode(NO_FLOATS, 0, 0));
    }
  }

  private void delete(Seen seen) {
    StoredRow head = seen.head();
    if (seen.slot() != HotRows.NONE) {
      tiers.of(head.table()).rows().remove(seen.slot());
    }
    if (seen.kind() == RowKind.ROW) {
      sizes.addRows(head.table(), -1);
    } else {
      sizes.addCounts(head.table(), -1);
    }
    deletions.deleted(head.table(), head.key(), seen.kind());
  }

  /** Returns the number of rows of a table that were deleted, for any reason. */
  long expired(int table) {
    return expiredOf[table];
  }

  /** Returns the number of deleted rows, by reason. */
  RowUsage.Expired expired() {
    return new RowUsage.Expired(
        expired.getOrDefault(Expiry.Reason.UNUSED, 0L),
        expired.getOrDefault(Expiry.Reason.RARE, 0L),
        expired.getOrDefault(Expiry.Reason.SMALL, 0L),
        expired.getOrDefault(Expiry.Reason.EXCESS, 0L));
  }
}
