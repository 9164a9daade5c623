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
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers rows as they were right after some earlier updates, by keeping each row before it
 * changes. The history is in DRAM and, for the next start, in a log of the store. All of it is
 * dropped when its needed part exceeds the bound. One thread.
 */
final class RowHistory {
  /** Stands for a row that did not exist yet. */
  static final byte[] NO_ROW = {};

  /** Bytes of a map's entry with its key and the head of an array. */
  private static final int ENTRY_BYTES = 96;

  /** Approximate size of an entry of the log. */
  private static final int ENTRY_OF_LOG_BYTES = 1 << 20;

  /** The log may exceed what is in DRAM by the bound divided by this. */
  private static final int LOG_SLACK_SHARE = 64;

  private final RowLog log;
  private final long mostBytes;

  /**
   * For each remembered update, the rows that changed after it and before the next remembered one,
   * as they were.
   */
  private final TreeMap<Long, Map<Long, byte[]>> layers = new TreeMap<>();

  /** The versions that were published of these updates. */
  private final Map<Long, String> versions = new HashMap<>();

  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long nextEntry = 1;
  private long bytes;
  private long logBytes;

  /**
   * An entry of the log.
   *
   * @param update update after which its rows had these values
   */
  private record Entry(long number, long update, long bytes) {}

  RowHistory(RowLog log, long mostBytes) {
    this.log = log;
    this.mostBytes = mostBytes;
  }

  /** Remembers an update: the rows are now what they are right after it. */
  void begin(long update) {
    if (layers.isEmpty() || layers.lastKey() < update) {
      layers.put(update, new HashMap<>());
    }
  }

  /** Returns whether any update is remembered. */
  boolean active() {
    return !layers.isEmpty();
  }

  /** Returns whether an update is remembered. */
  boolean knows(long update) {
    return layers.containsKey(update);
  }

  /** Called when a remembered update was published as a version. */
  void published(long update, String version) {
    if (knows(update)) {
      versions.put(update, version);
    }
  }

  /** Returns whether an update is remembered and was published as this version. */
  boolean knows(long update, String version) {
    return version.equals(versions.get(update));
  }

  /** Bytes of DRAM. */
  long bytes() {
    return bytes;
  }

  /** Returns whether a row must be remembered before it changes now. */
  boolean wants(long rowKey) {
    return active() && !layers.lastEntry().getValue().containsKey(rowKey);
  }

  /**
   * Remembers rows before they change.
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
   * Returns whether rows that change at once exceed the bound on their own.
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
   * Forgets all updates but these and the last one. Forgets all of them, if the rest still exceeds
   * the bound.
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

  /** Writes the log anew, in which a row may be several times. */
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

  /** Forgets all updates. */
  void forgetAll() {
    layers.clear();
    versions.clear();
    bytes = 0;
    clearLog();
  }

  /**
   * The row as it was right after a remembered update; {@link #NO_ROW} if it did not exist, null if
   * it has not changed since.
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

  /** All rows that have changed since a remembered update, as they were right after it. */
  Map<Long, byte[]> since(long update) {
    Map<Long, byte[]> rows = new HashMap<>();
    layers.tailMap(update, true).values().forEach(layer -> layer.forEach(rows::putIfAbsent));
    return rows;
  }

  /** Called when the rows are again what they were right after a remembered update. */
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

  /** Declares the present rows to be those right after the last update. */
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

  /** Returns the remembered updates, ascending. */
  long[] updates() {
    return layers.keySet().stream().mapToLong(Long::longValue).toArray();
  }

  /** Returns the version of each of these updates, "" if it was not published. */
  List<String> versions() {
    return layers.keySet().stream().map(update -> versions.getOrDefault(update, "")).toList();
  }

  /** Returns the numbers of the entries in the log. */
  long[] entryNumbers() {
    return entries.stream().mapToLong(Entry::number).toArray();
  }

  /** Returns the update of each of these entries. */
  long[] entryUpdates() {
    return entries.stream().mapToLong(Entry::update).toArray();
  }

  /**
   * Restores the results of the previous four methods, with the log. If the log does not match,
   * because it was deleted since, nothing is remembered.
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
