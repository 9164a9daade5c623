package io.idlalayer.jobs.operator;

import io.idlalayer.middleware.embedding.store.RowLog;
import io.idlalayer.middleware.embedding.store.RowStore;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * The rows of the learner of the current key, in Flink's map states. RocksDB keeps these states and
 * iterates in the order of the keys' big-endian bytes.
 */
final class FlinkRowStore implements RowStore {
  private final KeyedBytes rows;
  private final RowLog changes;
  private final RowLog history;
  private final KeyedBytes blocks;

  /**
   * @param changes entries of the log of changes, by number
   * @param history entries of the log of earlier rows, by number
   * @param blocks blocks of the filter, by number
   */
  FlinkRowStore(KeyedBytes rows, KeyedBytes changes, KeyedBytes history, KeyedBytes blocks) {
    this.rows = rows;
    this.changes = new Log(changes);
    this.history = new Log(history);
    this.blocks = blocks;
  }

  private record Log(KeyedBytes state) implements RowLog {
    @Override
    public void append(long number, byte[] entry) {
      state.put(number, entry);
    }

    @Override
    public Iterable<Map.Entry<Long, byte[]>> entries() {
      TreeMap<Long, byte[]> ascending = new TreeMap<>();
      state.entries().forEachRemaining(each -> ascending.put(each.getKey(), each.getValue()));
      return ascending.entrySet();
    }

    @Override
    public void forget(long from, long upTo) {
      for (long number = from; number <= upTo; number++) {
        state.remove(number);
      }
    }
  }

  @Override
  public void read(long[] rowKeys, int count, RowReader reader) {
    for (int i : inOrder(rowKeys, count)) {
      byte[] row = rows.get(rowKeys[i]);
      if (row != null) {
        reader.row(i, row);
      }
    }
  }

  /**
   * Returns the indices of row keys in nearly the order of the store: sorted by the upper bits of
   * the keys. Each search in the files of RocksDB then begins near the end of the previous search,
   * whose blocks are still in the processor's cache.
   */
  private static int[] inOrder(long[] rowKeys, int count) {
    long below = Math.max(1, Integer.highestOneBit(Math.max(1, count)) * 2L) - 1;
    long[] sorted = new long[count];
    for (int i = 0; i < count; i++) {
      // Sorting signed numbers with the sign bit flipped gives the order of unsigned numbers.
      sorted[i] = ((rowKeys[i] ^ Long.MIN_VALUE) & ~below) | i;
    }
    Arrays.sort(sorted);
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = (int) (sorted[i] & below);
    }
    return order;
  }

  @Override
  public void write(Map<Long, byte[]> changed) {
    rows.putAll(changed);
  }

  @Override
  public void remove(long[] rowKeys, int count) {
    for (int i = 0; i < count; i++) {
      rows.remove(rowKeys[i]);
    }
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> rows() {
    return rows.entries();
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
    blocks.putAll(changed);
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> filter() {
    return blocks.entries();
  }

  @Override
  public void clearFilter() {
    blocks.clear();
  }
}
