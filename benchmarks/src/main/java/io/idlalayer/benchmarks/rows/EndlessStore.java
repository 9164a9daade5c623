package io.idlalayer.benchmarks.rows;

import io.idlalayer.middleware.embedding.RowLog;
import io.idlalayer.middleware.embedding.RowStore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** A store that has every row, all with the same numbers, and forgets what is written. */
final class EndlessStore implements RowStore {
  private static final RowLog NOTHING =
      new RowLog() {
        @Override
        public void append(long number, byte[] entry) {}

        @Override
        public Iterable<Map.Entry<Long, byte[]>> entries() {
          return List.of();
        }

        @Override
        public void forget(long from, long upTo) {}
      };

  private static final int OCCURRENCES_AT = 12;

  private final Map<Long, Integer> occurrences;
  private final byte[] row;

  /**
   * @param occurrences of rows by key; 1 of all others
   */
  EndlessStore(BenchTable table, Map<Long, Integer> occurrences) {
    this.occurrences = occurrences;
    row = table.row(BenchTable.key(0), 1);
  }

  @Override
  public void read(long[] rowKeys, int count, RowReader reader) {
    for (int i = 0; i < count; i++) {
      byte[] found = row.clone();
      ByteBuffer.wrap(found)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(OCCURRENCES_AT, occurrences.getOrDefault(rowKeys[i], 1));
      reader.row(i, found);
    }
  }

  @Override
  public void write(Map<Long, byte[]> rows) {}

  @Override
  public void remove(long[] rowKeys, int count) {}

  @Override
  public Iterator<Map.Entry<Long, byte[]>> rows() {
    return List.<Map.Entry<Long, byte[]>>of().iterator();
  }

  @Override
  public RowLog changes() {
    return NOTHING;
  }

  @Override
  public RowLog history() {
    return NOTHING;
  }

  @Override
  public void writeFilter(Map<Long, byte[]> blocks) {}

  @Override
  public Iterator<Map.Entry<Long, byte[]>> filter() {
    return List.<Map.Entry<Long, byte[]>>of().iterator();
  }

  @Override
  public void clearFilter() {}
}
