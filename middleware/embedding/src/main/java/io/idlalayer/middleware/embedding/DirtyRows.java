package io.idlalayer.middleware.embedding;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hot rows that are newer than the store. The store has them in a log, which is folded into its
 * rows from time to time: each row is written to its place, then the log is cut. One thread.
 */
final class DirtyRows {
  private final Tiers tiers;
  private final RowLog log;
  private final long mostLogBytes;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long nextEntry = 1;
  private long logBytes;
  private @Nullable Fold fold;

  /** An entry of the log. */
  private record Entry(long number, long bytes) {}

  /** Writes all rows that were newer than the store when it began. */
  private static final class Fold {
    final long upTo;
    int tier;
    int slot;

    Fold(long upTo) {
      this.upTo = upTo;
    }
  }

  /**
   * @param mostLogBytes the log is never larger
   */
  DirtyRows(Tiers tiers, RowLog log, long mostLogBytes) {
    this.tiers = tiers;
    this.log = log;
    this.mostLogBytes = mostLogBytes;
  }

  /** Whether there is none: the log says nothing. */
  boolean none() {
    return entries.isEmpty();
  }

  /**
   * Writes an entry to the log, if it says something. If the log would be too long for a start, all
   * of its rows are written to the store instead, those of the entry too, which takes as long as
   * all folds that it saves.
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

  /** Writes all of them to the store. */
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

  /** Whether the log is to be folded, a little at a time, long before it must be. */
  boolean logIsLong() {
    return logBytes > mostLogBytes / 2;
  }

  /** Begins to write all of them to the store. */
  void beginFold() {
    fold = new Fold(nextEntry - 1);
  }

  /** Whether a fold has begun and not ended. */
  boolean folding() {
    return fold != null;
  }

  /**
   * Goes on with the fold that has begun, if there is one.
   *
   * @param most rows that are written
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
   * Makes those hot again that the log says, as far as they find room, and writes the others to the
   * store.
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
   * @param known rows of which later entries say something
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
