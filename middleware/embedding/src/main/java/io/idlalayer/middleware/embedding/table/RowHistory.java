package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.hot.LogEntry;
import io.idlalayer.middleware.embedding.store.RowLog;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers embedding rows as they were right after some earlier updates, by keeping a copy of each
 * row before it changes. The history is in DRAM and, for the next start, in a log of the store. All
 * of it is dropped when its needed part exceeds the bound. One thread.
 */
final class RowHistory {
  /** Stands in the history for a row that did not exist yet. */
  static final byte[] NO_ROW = {};

  /** Bytes of an entry of a map with its key and the head of an array. */
  private static final int ENTRY_BYTES = 96;

  /** Approximate number of bytes of an entry of the log. */
  private static final int ENTRY_OF_LOG_BYTES = 1 << 20;

  /**
   * Limits the log's size: it may exceed the history's bytes in DRAM by the largest size of the
   * history, divided by this number.
   */
  private static final int LOG_SLACK_SHARE = 64;

  private final RowLog log;
  private final long mostBytes;

  /**
   * For each remembered update, earlier values of the rows that changed after it and before the
   * next remembered update.
   */
  private final TreeMap<Long, Map<Long, byte[]>> layers = new TreeMap<>();

  /** The published version of each remembered update that was published. */
  private final Map<Long, String> versions = new HashMap<>();

  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long nextEntry = 1;
  private long bytes;
  private long logBytes;

  /**
   * An entry of the store's log.
   *
   * @param update update after which its rows had these values
   */
  private record Entry(long number, long update, long bytes) {}

  RowHistory(RowLog log, long mostBytes) {
    this.log = log;
    this.mostBytes = mostBytes;
  }

  /** Begins to remember an update: the present rows are those right after it. */
  void begin(long update) {
    if (layers.isEmpty() || layers.lastKey() < update) {
      layers.put(update, new HashMap<>());
    }
  }

  /** Returns whether the history has the rows of any update. */
  boolean active() {
    return !layers.isEmpty();
  }

  /** Returns whether the history has the rows as they were right after an update. */
  boolean knows(long update) {
    return layers.containsKey(update);
  }

  /** Records that a remembered update was published as a version. */
  void published(long update, String version) {
    if (knows(update)) {
      versions.put(update, version);
    }
  }

  /** Returns the versions of all remembered updates that were published, by update, ascending. */
  SortedMap<Long, String> published() {
    return new TreeMap<>(versions);
  }

  /**
   * Returns whether the history has the rows as they were right after an update that was published
   * as this version.
   */
  boolean knows(long update, String version) {
    return version.equals(versions.get(update));
  }

  /** Returns the bytes of DRAM that the history takes. */
  long bytes() {
    return bytes;
  }

  /** Returns whether a row must be copied to the history before it changes now. */
  boolean wants(long rowKey) {
    return active() && !layers.lastEntry().getValue().containsKey(rowKey);
  }

  /**
   * Adds rows to the history before they change.
   *
   * @param before the rows by their keys; only rows that are {@linkplain #wants wanted}
   */
  void changed(Map<Long, byte[]> before) {
    if (before.isEmpty()) {
      return;
    }
    before.forEach((rowKey, row) -> add(layers.lastEntry().getValue(), rowKey, row));
    append(layers.lastKey(), before);
  }

  /**
   * Returns whether rows that change at the same time exceed the history's bound alone.
   *
   * @param rowBytes bytes of all of them
   */
  boolean exceededBy(int rows, long rowBytes) {
    return (long) rows * ENTRY_BYTES + rowBytes > mostBytes;
  }

  private void add(Map<Long, byte[]> layer, long rowKey, byte[] row) {
    if (layer.putIfAbsent(rowKey, row) == null) {
      bytes += ENTRY_BYTES + row.length;
    }
  }

  private void append(long update, Map<Long, byte[]> rows) {
    LogEntry entry = new LogEntry();
    for (Map.Entry<Long, byte[]> each : rows.entrySet()) {
      if (each.getValue().length == 0) {
        entry.inStore(each.getKey());
      } else {
        entry.row(each.getKey(), each.getValue());
      }
      if (entry.size() >= ENTRY_OF_LOG_BYTES) {
        append(update, entry);
        entry = new LogEntry();
      }
    }
    if (!entry.empty()) {
      append(update, entry);
    }
  }

  private void append(long update, LogEntry entry) {
    byte[] encoded = entry.bytes();
    log.append(nextEntry, encoded);
    entries.add(new Entry(nextEntry, update, encoded.length));
    logBytes += encoded.length;
    nextEntry++;
  }

  /**
   * Forgets the rows after earlier updates, except after the given updates and the last remembered
   * one. Forgets these rows, too, if they still exceed the bound.
   */
  void keepOnly(Set<Long> updates) {
    for (Long update : layers.keySet().toArray(new Long[0])) {
      if (updates.contains(update) || update.equals(layers.lastKey())) {
        continue;
      }
      Map<Long, byte[]> gone = layers.remove(update);
      versions.remove(update);
      Map.Entry<Long, Map<Long, byte[]>> older = layers.lowerEntry(update);
      gone.values().forEach(row -> bytes -= ENTRY_BYTES + row.length);
      if (older != null) {
        gone.forEach((rowKey, row) -> add(older.getValue(), rowKey, row));
      }
    }
    if (layers.isEmpty() || bytes > mostBytes) {
      forgetAll();
      return;
    }
    while (!entries.isEmpty() && entries.element().update() < layers.firstKey()) {
      remove(entries.element());
    }
    if (logBytes > bytes + mostBytes / LOG_SLACK_SHARE) {
      rewriteLog();
    }
  }

  private void remove(Entry entry) {
    log.forget(entry.number(), entry.number());
    entries.remove(entry);
    logBytes -= entry.bytes();
  }

  /** Writes the log anew with each row once, because a row may be in it several times. */
  private void rewriteLog() {
    clearLog();
    layers.forEach(this::append);
  }

  private void clearLog() {
    if (!entries.isEmpty()) {
      log.forget(entries.getFirst().number(), entries.getLast().number());
    }
    entries.clear();
    logBytes = 0;
  }

  /** Forgets the rows as they were after all earlier updates. */
  void forgetAll() {
    layers.clear();
    versions.clear();
    bytes = 0;
    clearLog();
  }

  /**
   * Returns a row as it was right after a remembered update; {@link #NO_ROW} if it did not exist,
   * null if it has not changed since.
   */
  byte @Nullable [] row(long update, long rowKey) {
    for (Map<Long, byte[]> layer : layers.tailMap(update, true).values()) {
      byte[] row = layer.get(rowKey);
      if (row != null) {
        return row;
      }
    }
    return null;
  }

  /** Returns all rows that have changed since a remembered update, as they were right after it. */
  Map<Long, byte[]> since(long update) {
    Map<Long, byte[]> rows = new HashMap<>();
    layers.tailMap(update, true).values().forEach(layer -> layer.forEach(rows::putIfAbsent));
    return rows;
  }

  /** Notifies that all rows were restored as they were right after a remembered update. */
  void wentBack(long update) {
    for (Map<Long, byte[]> layer : layers.tailMap(update, true).values()) {
      layer.values().forEach(row -> bytes -= ENTRY_BYTES + row.length);
      layer.clear();
    }
    layers.tailMap(update, false).clear();
    versions.keySet().retainAll(layers.keySet());
    for (Iterator<Entry> newest = entries.descendingIterator(); newest.hasNext(); ) {
      Entry entry = newest.next();
      if (entry.update() >= update) {
        log.forget(entry.number(), entry.number());
        logBytes -= entry.bytes();
        newest.remove();
      }
    }
  }

  /** Declares that the present rows are those right after the last remembered update. */
  void beginAnew() {
    if (layers.isEmpty()) {
      return;
    }
    long last = layers.lastKey();
    Map.Entry<Long, Map<Long, byte[]>> older = layers.lowerEntry(last);
    Map<Long, byte[]> gone = layers.lastEntry().getValue();
    layers.put(last, new HashMap<>());
    gone.values().forEach(row -> bytes -= ENTRY_BYTES + row.length);
    ArrayDeque<Entry> moved = new ArrayDeque<>();
    while (!entries.isEmpty() && entries.getLast().update() >= last) {
      moved.addFirst(entries.removeLast());
    }
    for (Entry entry : moved) {
      if (older == null) {
        log.forget(entry.number(), entry.number());
        logBytes -= entry.bytes();
      } else {
        entries.add(new Entry(entry.number(), older.getKey(), entry.bytes()));
      }
    }
    if (older != null) {
      gone.forEach((rowKey, row) -> add(older.getValue(), rowKey, row));
    }
  }

  /** Returns the numbers of the updates whose rows the history has, ascending. */
  long[] updates() {
    return layers.keySet().stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * Returns, for each remembered update, the version as which it was published, "" if it was not.
   */
  List<String> versions() {
    return layers.keySet().stream().map(update -> versions.getOrDefault(update, "")).toList();
  }

  /** Returns the numbers of the history's entries in the store's log. */
  long[] entryNumbers() {
    return entries.stream().mapToLong(Entry::number).toArray();
  }

  /** Returns, for each of the history's entries in the log, the update to which it belongs. */
  long[] entryUpdates() {
    return entries.stream().mapToLong(Entry::update).toArray();
  }

  /**
   * Restores the history from the results of the previous four methods and from the log. If the log
   * does not match, because it was deleted since, nothing is remembered.
   */
  void restore(
      long[] updates, List<String> versionsOfUpdates, long[] numbers, long[] updatesOfEntries) {
    for (int i = 0; i < updates.length; i++) {
      layers.put(updates[i], new HashMap<>());
      if (!versionsOfUpdates.get(i).isEmpty()) {
        versions.put(updates[i], versionsOfUpdates.get(i));
      }
    }
    boolean whole = true;
    for (Map.Entry<Long, byte[]> each : log.entries()) {
      int at = Arrays.binarySearch(numbers, each.getKey());
      whole &= at >= 0;
      long update = at < 0 ? Long.MIN_VALUE : updatesOfEntries[at];
      entries.add(new Entry(each.getKey(), update, each.getValue().length));
      logBytes += each.getValue().length;
      nextEntry = each.getKey() + 1;
      Map.Entry<Long, Map<Long, byte[]>> layer = layers.floorEntry(update);
      if (layer != null) {
        read(each.getValue(), layer.getValue());
      }
    }
    if (!whole || entries.size() != numbers.length) {
      forgetAll();
    }
  }

  private void read(byte[] entry, Map<Long, byte[]> layer) {
    LogEntry.read(
        entry,
        new LogEntry.Reader() {
          @Override
          public void row(long rowKey, byte[] row) {
            add(layer, rowKey, row);
          }

          @Override
          public void inStore(long rowKey) {
            add(layer, rowKey, NO_ROW);
          }
        });
  }
}
