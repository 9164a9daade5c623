package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.rows.fixed.BaseRows;
import io.idlalayer.benchmarks.rows.fixed.FixedPolicy;
import io.idlalayer.benchmarks.rows.fixed.FixedStats;
import io.idlalayer.benchmarks.rows.fixed.FixedTable;
import io.idlalayer.benchmarks.rows.fixed.Phase;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import java.util.stream.IntStream;

/**
 * A table of CachedEmbeddings over a mapped file: a row's place follows from its number. Not
 * durable: nothing says which updates of it are in the file after a crash.
 */
final class MappedContender implements RowsContender {
  private final String name;
  private final FixedTable table;
  private final boolean moving;
  private final long rowBytes;

  /**
   * @param fastBytes of DRAM for rows and the pointers of all rows; if the pointers alone take
   *     more, there are none, and no row is in DRAM
   */
  MappedContender(String name, BaseRows base, FixedPolicy policy, long fastBytes) {
    long bytes = fastBytes - (long) Long.BYTES * base.rows();
    boolean fits = bytes >= base.rowBytes();
    this.name = fits ? name : name + ", pointers do not fit";
    FixedPolicy used = fits ? policy : new FixedPolicy.Simple();
    table = FixedExperiment.table(base, used, Math.max(0, bytes));
    moving = used instanceof FixedPolicy.Dynamic;
    rowBytes = base.rowBytes();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void lookup(IdBatch batch, float[] sums) {
    table.lookupPooled(batch.ids(), ends(batch), IdPooling.SUM, sums);
    flushIfFull();
  }

  @Override
  public void train(IdBatch batch, float[] sums, float[] gradients) {
    int[] ends = ends(batch);
    table.lookupPooled(batch.ids(), ends, IdPooling.SUM, sums);
    table.phase(Phase.UPDATE);
    float rate = (float) BenchTable.RULE.learningRate();
    table.applySgd(batch.ids(), ends, IdPooling.SUM, gradients, rate);
    table.phase(Phase.FORWARD);
    flushIfFull();
  }

  private static int[] ends(IdBatch batch) {
    return IntStream.rangeClosed(1, batch.outputs()).map(i -> i * batch.accesses()).toArray();
  }

  /** Pages above the lower bound leave, and their changed rows go to the file. */
  private void flushIfFull() {
    // Static rows never leave.
    if (moving && table.isFull()) {
      table.phase(Phase.FLUSH);
      table.flushDirty();
      table.phase(Phase.FORWARD);
    }
  }

  @Override
  public Reads reads() {
    FixedStats stats = table.stats();
    return new Reads(stats.hits(), 0, stats.hits() + stats.misses());
  }

  @Override
  public long fastBytes() {
    return table.cacheBytes() + table.pointerBytes();
  }

  @Override
  public long residentRows() {
    return table.cacheBytes() / rowBytes;
  }
}
