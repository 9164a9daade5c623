package io.idlalayer.benchmarks.rows;

import io.idlalayer.middleware.embedding.store.RowLog;
import io.idlalayer.middleware.embedding.store.RowStore;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** A store that forgets what is written, so that writing costs nothing. */
final class ForgetfulStore implements RowStore {
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

  /** What it says of each row. */
  private final byte[] row;

  private ForgetfulStore(byte[] row) {
    this.row = row;
  }

  /** Has every row of a table, all with the same numbers. */
  static ForgetfulStore withAllRows(BenchTable table) {
    return new ForgetfulStore(table.row(BenchTable.key(0), 1));
  }

  @Override
  public void read(long[] rowKeys, int count, RowReader reader) {
    for (int i = 0; i < count; i++) {
      reader.row(i, row.clone());
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
