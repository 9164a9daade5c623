package io.idlalayer.jobs.learner.memory;

import io.idlalayer.jobs.learner.samples.StoreMeter;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.policy.HitCurve;
import io.idlalayer.middleware.cache.policy.ReuseDistances;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.primitive.BitMixer;

/**
 * The hot rows of embedding tables. The hit curve is computed for a least-recently-used cache and
 * measured on a sample of the rows (SHARDS) in about a megabyte of heap.
 */
public final class RowsClaimant implements Claimant {
  private static final int SAMPLED_KEYS = 8_192;
  private static final int BUCKETS = 512;

  private static final int OWNER = 0;

  private final RowTables tables;
  private final StoreMeter meter;
  private final FastBudget budget;
  private final ReuseDistances.Shape shape;
  private final ReuseDistances distances;
  private final RecentRate reads = new RecentRate();
  private double carried;

  /**
   * @param meter meter of the reads from the store of rows
   */
  public RowsClaimant(RowTables tables, StoreMeter meter, FastBudget budget) {
    this.tables = tables;
    this.meter = meter;
    this.budget = budget;
    long grain = budget.mostBytes() / BUCKETS + 1;
    shape = new ReuseDistances.Shape(SAMPLED_KEYS, grain, BUCKETS, 1);
    distances = new ReuseDistances(shape);
    tables.onRead(
        (rowKey, bytes) -> distances.referenced(BitMixer.murmur(rowKey), OWNER, (int) bytes, 1));
  }

  @Override
  public FastUse use() {
    return FastUse.ROWS;
  }

  @Override
  public long leastBytes() {
    return budget.leastBytes();
  }

  @Override
  public Claim claim(double seconds, long nowBytes) {
    double[] histogram = new double[shape.buckets()];
    double references = distances.addTo(OWNER, histogram);
    HitCurve hits = new HitCurve((double) shape.grainBytes(), histogram, references);
    reads.add(Math.max(0, references - carried), seconds);
    distances.fade(RecentRate.KEEP);
    carried = references * RecentRate.KEEP;
    long most = Math.max(leastBytes(), mostBytes(nowBytes));
    return new Claim(
        use(),
        leastBytes(),
        most,
        HitBenefit.of(
            hits,
            -tables.mostBytesAhead(),
            most,
            reads.perSecond(),
            HitBenefit.secondsOfRead(meter.status().waitSeconds(), meter.reads())),
        Claim.Form.CONCAVE);
  }

  /**
   * Returns the largest number of bytes that rows can use. Rows acquire their memory when they are
   * first used, so {@link #resize} never refuses. If the process has no more memory for rows,
   * further bytes are better used for something else.
   */
  private long mostBytes(long nowBytes) {
    return tables.lacksMemory() ? Math.min(nowBytes, tables.acquiredBytes()) : budget.mostBytes();
  }

  @Override
  public Change resize(long bytes) {
    return tables.resize(bytes) ? Change.DONE : Change.WAITS;
  }

  @Override
  public String refusal() {
    return "";
  }
}
