package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.hot.HotRows;
import io.idlalayer.middleware.embedding.hot.LogEntry;
import io.idlalayer.middleware.embedding.hot.Tier;
import io.idlalayer.middleware.embedding.hot.Tiers;
import io.idlalayer.middleware.embedding.store.RowLog;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import io.idlalayer.middleware.embedding.store.StoredRow;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Dirty rows: rows in DRAM that are newer than in the store. A log of the store holds them. From
 * time to time the log is folded: each row is written to its place in the store, then the log is
 * cut. One thread.
 */
final class DirtyRows {
  private final Tiers tiers;
  private final RowLog log;
  private final long mostLogBytes;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long nextEntry = 1;
  private long logBytes;
  private @Nullable Fold fold;

  /** An entry of the store's log. */
  private record Entry(long number, long bytes) {}

  /** A fold of the log: it writes all rows to the store that were dirty when it began. */
  private static final class Fold {
    final long upTo;
    int tier;
    int slot;

    Fold(long upTo) {
      this.upTo = upTo;
    }
  }

  /**
   * @param mostLogBytes largest size of the log
   */
  DirtyRows(Tiers tiers, RowLog log, long mostLogBytes) {
    this.tiers = tiers;
    this.log = log;
    this.mostLogBytes = mostLogBytes;
  }

  /** Returns whether there is no dirty row, and therefore no entry in the log. */
  boolean none() {
    return entries.isEmpty();
  }

  /**
   * Appends an entry to the log of changed rows, unless the entry is empty. If the log would take
   * too long to read at a start, all dirty rows are written to the store instead, which takes as
   * long as the folds that it saves.
   */
  void append(LogEntry entry) {
    if (entry.empty()) {
      return;
    }
    if (logBytes + entry.size() > mostLogBytes) {
      flush();
    } else {
      log.append(nextEntry, entry.bytes());
      logged(nextEntry, entry.size());
    }
  }

  /** Writes all dirty rows to the store. */
  void flush() {
    beginFold();
    while (folding()) {
      fold(Integer.MAX_VALUE);
    }
  }

  private void logged(long number, long bytes) {
    entries.add(new Entry(number, bytes));
    logBytes += bytes;
    nextEntry = number + 1;
  }

  /** Returns whether the log should be folded in small steps, well before it is full. */
  boolean logIsLong() {
    return logBytes > mostLogBytes / 2;
  }

  /** Begins a fold of the log. */
  void beginFold() {
    fold = new Fold(nextEntry - 1);
  }

  /** Returns whether a fold is running. */
  boolean folding() {
    return fold != null;
  }

  /**
   * Continues the running fold, if there is one.
   *
   * @param most number of rows to write at most
   */
  void fold(int most) {
    Fold running = fold;
    if (running == null) {
      return;
    }
    write(running, most);
    if (running.tier == tiers.all().size()) {
      cut(running.upTo);
      fold = null;
    }
  }

  private void write(Fold running, int most) {
    int written = 0;
    while (running.tier < tiers.all().size() && written < most) {
      HotRows rows = tiers.all().get(running.tier).rows();
      for (; running.slot < rows.slots() && written < most; running.slot++) {
        if (rows.used(running.slot) && rows.dirty(running.slot)) {
          tiers.cold().put(rows.rowKey(running.slot), rows.encode(running.slot));
          rows.dirty(running.slot, false);
          written++;
        }
      }
      if (running.slot >= rows.slots()) {
        running.tier++;
        running.slot = 0;
      }
    }
    tiers.cold().write();
  }

  private void cut(long upTo) {
    long from = upTo;
    while (!entries.isEmpty() && entries.element().number() <= upTo) {
      Entry entry = entries.remove();
      from = Math.min(from, entry.number());
      logBytes -= entry.bytes();
    }
    log.forget(from, upTo);
  }

  /**
   * Makes the rows of the log hot again after a restart, as far as there is room, and writes the
   * others to the store.
   *
   * @throws RowStoreException if the log is damaged
   */
  void restore() {
    Deque<byte[]> latestFirst = new ArrayDeque<>();
    int rows = 0;
    for (Map.Entry<Long, byte[]> each : log.entries()) {
      latestFirst.push(each.getValue());
      logged(each.getKey(), each.getValue().length);
      rows += LogEntry.rows(each.getValue());
    }
    RowKeys told = new RowKeys(rows);
    latestFirst.forEach(entry -> replay(entry, told));
  }

  /**
   * @param known row keys that later entries hold
   */
  private void replay(byte[] entry, RowKeys known) {
    LogEntry.read(
        entry,
        new LogEntry.Reader() {
          @Override
          public void row(long rowKey, byte[] row) {
            if (known.add(rowKey)) {
              replay(rowKey, row);
            }
          }

          @Override
          public void inStore(long rowKey) {
            known.add(rowKey);
          }
        });
    tiers.cold().write();
  }

  private void replay(long rowKey, byte[] row) {
    StoredRow head = StoredRow.head(row, tiers.plan());
    Tier tier = tiers.of(head.table());
    if (!tier.room(rowKey)) {
      tiers.cold().put(rowKey, row);
      return;
    }
    int slot = tier.enter(rowKey, head.table(), true);
    tier.rows().decode(slot, head, row);
    tier.rows().dirty(slot, true);
  }
}
