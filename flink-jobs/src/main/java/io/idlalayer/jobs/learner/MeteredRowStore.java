package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.embedding.RowLog;
import io.idlalayer.middleware.embedding.RowStore;
import java.util.Iterator;
import java.util.Map;

/**
 * A store whose rows, and whose log of changes to rows in DRAM, are counted as they are read and
 * written. What is read one after the other, to delete rows or to publish all of them, what rows
 * were, and blocks of the filter are not counted.
 */
final class MeteredRowStore implements RowStore {
  private final RowStore store;
  private final StoreMeter meter;
  private final RowLog changes;

  MeteredRowStore(RowStore store, StoreMeter meter) {
    this.store = store;
    this.meter = meter;
    changes = new MeteredLog(store.changes(), meter);
  }

  private record MeteredLog(RowLog log, StoreMeter meter) implements RowLog {
    @Override
    public void append(long number, byte[] entry) {
      log.append(number, entry);
      meter.written(entry);
    }

    @Override
    public Iterable<Map.Entry<Long, byte[]>> entries() {
      return log.entries();
    }

    @Override
    public void forget(long from, long upTo) {
      log.forget(from, upTo);
    }
  }

  @Override
  public void read(long[] rowKeys, int count, RowReader reader) {
    if (count == 0) {
      return;
    }
    meter.waitFor(
        () ->
            store.read(
                rowKeys,
                count,
                (i, row) -> {
                  meter.read(row);
                  reader.row(i, row);
                }));
  }

  @Override
  public void write(Map<Long, byte[]> rows) {
    store.write(rows);
    rows.values().forEach(meter::written);
  }

  @Override
  public void remove(long[] rowKeys, int count) {
    store.remove(rowKeys, count);
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> rows() {
    return store.rows();
  }

  @Override
  public RowLog changes() {
    return changes;
  }

  @Override
  public RowLog history() {
    return store.history();
  }

  @Override
  public void writeFilter(Map<Long, byte[]> blocks) {
    store.writeFilter(blocks);
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> filter() {
    return store.filter();
  }

  @Override
  public void clearFilter() {
    store.clearFilter();
  }
}
