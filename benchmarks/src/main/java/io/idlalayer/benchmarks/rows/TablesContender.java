package io.idlalayer.benchmarks.rows;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.embedding.table.RowUsage;
import java.util.List;

/** The product's tables. */
final class TablesContender implements RowsContender {
  private static final long NOW_SECONDS = 1_800_000_000;

  private final String name;
  private final RowTables tables;

  TablesContender(
      String name, BenchTable table, RowPolicyName policy, long fastBytes, RowStore store) {
    this.name = name;
    RowSettings settings = new RowSettings(fastBytes, policy, 1, Integer.MAX_VALUE, Expiry.NEVER);
    tables = new RowTables(table.plan(), BenchTable.RULE, settings, store);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void lookup(IdBatch batch, float[] sums) {
    fill(tables.gather(batch.samples()), batch, sums);
    tables.write();
  }

  private static void fill(RowBatch rows, IdBatch batch, float[] sums) {
    int width = rows.plan().width();
    for (int i = 0; i < batch.outputs(); i++) {
      rows.fill(batch.samples().get(i), sums, i * width);
    }
  }

  @Override
  public void train(IdBatch batch, float[] sums, float[] gradients) {
    RowBatch rows = tables.gatherToTrain(batch.samples(), List.of());
    fill(rows, batch, sums);
    rows.update(batch.samples(), gradients);
    tables.commit(rows, NOW_SECONDS);
    tables.write();
    if (tables.maintain(NOW_SECONDS)) {
      throw new IllegalStateException("rows were deleted");
    }
  }

  @Override
  public Reads reads() {
    RowUsage usage = tables.usage(StoreTraffic.NONE);
    return new Reads(
        usage.hits(), usage.buffered(), usage.hits() + usage.buffered() + usage.misses());
  }

  @Override
  public long fastBytes() {
    return tables.usage(StoreTraffic.NONE).fastBytes();
  }

  @Override
  public long residentRows() {
    return tables.usage(StoreTraffic.NONE).hotRows() + bufferedRows();
  }

  @Override
  public long bufferedRows() {
    return tables.bufferedRows();
  }
}
