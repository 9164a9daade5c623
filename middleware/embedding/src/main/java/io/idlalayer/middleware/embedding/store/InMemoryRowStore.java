package io.idlalayer.middleware.embedding.store;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** Keeps embedding rows in plain maps: for runs in virtual time, and as a model for tests. */
public final class InMemoryRowStore implements RowStore {
  // Its iterators allow changes.
  private final ConcurrentSkipListMap<Long, byte[]> rows =
      new ConcurrentSkipListMap<>(Long::compareUnsigned);
  private final Log changes = new Log();
  private final Log history = new Log();
  private final ConcurrentSkipListMap<Long, byte[]> blocks = new ConcurrentSkipListMap<>();

  private static final class Log implements RowLog {
    final ConcurrentSkipListMap<Long, byte[]> entries = new ConcurrentSkipListMap<>();

    @Override
    public void append(long number, byte[] entry) {
      entries.put(number, entry.clone());
    }

    @Override
    public Iterable<Map.Entry<Long, byte[]>> entries() {
      return entries.entrySet();
    }

    @Override
    public void forget(long from, long upTo) {
      entries.subMap(from, true, upTo, true).clear();
    }
  }

  /** Returns an independent copy of this store, as a checkpoint would be. */
  public InMemoryRowStore copy() {
    InMemoryRowStore copy = new InMemoryRowStore();
    copy.rows.putAll(rows);
    copy.changes.entries.putAll(changes.entries);
    copy.history.entries.putAll(history.entries);
    copy.blocks.putAll(blocks);
    return copy;
  }

  @Override
  public void read(long[] rowKeys, int count, RowReader reader) {
    for (int i = 0; i < count; i++) {
      byte[] row = rows.get(rowKeys[i]);
      if (row != null) {
        reader.row(i, row.clone());
      }
    }
  }

  @Override
  public void write(Map<Long, byte[]> changed) {
    changed.forEach((key, row) -> rows.put(key, row.clone()));
  }

  @Override
  public void remove(long[] rowKeys, int count) {
    Arrays.stream(rowKeys, 0, count).forEach(rows::remove);
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> rows() {
    return rows.entrySet().iterator();
  }

  @Override
  public RowLog changes() {
    return changes;
  }

  @Override
  public RowLog history() {
    return history;
  }

  @Override
  public void writeFilter(Map<Long, byte[]> changed) {
    changed.forEach((number, block) -> blocks.put(number, block.clone()));
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> filter() {
    return blocks.entrySet().iterator();
  }

  @Override
  public void clearFilter() {
    blocks.clear();
  }
}
