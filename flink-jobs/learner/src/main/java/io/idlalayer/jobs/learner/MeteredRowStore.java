package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.samples.StoreMeter;
import io.idlalayer.middleware.embedding.store.ForwardingRowStore;
import io.idlalayer.middleware.embedding.store.RowLog;
import io.idlalayer.middleware.embedding.store.RowStore;
import java.util.Map;

/**
 * A row store that counts reads and writes of rows, and of the log of changes to rows in DRAM.
 * Scans (to delete rows, or to publish all rows), earlier rows, and blocks of the filter are not
 * counted.
 */
final class MeteredRowStore extends ForwardingRowStore {
  private final StoreMeter meter;
  private final RowLog changes;

  MeteredRowStore(RowStore store, StoreMeter meter) {
    super(store);
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
            super.read(
                rowKeys,
                count,
                (i, row) -> {
                  meter.read(row);
                  reader.row(i, row);
                }));
  }

  @Override
  public void write(Map<Long, byte[]> rows) {
    super.write(rows);
    rows.values().forEach(meter::written);
  }

  @Override
  public RowLog changes() {
    return changes;
  }
}
