package io.idlalayer.benchmarks.budget;

import io.idlalayer.jobs.learner.memory.Claimant;
import io.idlalayer.jobs.learner.memory.HitBenefit;
import io.idlalayer.jobs.learner.memory.RecentRate;
import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.policy.GhostCache;
import io.idlalayer.middleware.cache.policy.HitCurve;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.ReuseDistances;
import io.idlalayer.middleware.primitive.BitMixer;
import java.util.SplittableRandom;

/**
 * A cache of keys without payloads under one of the product's policies, whose hit curve is measured
 * as the product measures it.
 */
final class SimulatedCache implements Claimant {
  private static final int BUCKETS = 512;
  private static final int SAMPLED_KEYS = 8_192;

  /**
   * What is cached.
   *
   * @param entryBytes bytes of an entry
   * @param keys number of different keys
   * @param skew keys are drawn with the rank {@code keys x u^skew}; more is more skewed
   * @param secondsOfRead what a miss takes
   */
  record Kind(
      FastUse use, PolicyName policy, int entryBytes, int keys, double skew, double secondsOfRead) {
    static final Kind SAMPLES =
        new Kind(FastUse.SAMPLES, PolicyName.ADAPTIVE, 1_024, 24_000, 2, 180e-6);
    static final Kind ROWS = new Kind(FastUse.ROWS, PolicyName.W_TINY_LFU, 160, 150_000, 4, 36e-6);
  }

  private final Kind kind;
  private final GhostCache cache;
  private final SplittableRandom random;
  private final boolean measures;
  private final long most;
  private final ReuseDistances.Shape shape;
  private final ReuseDistances distances;
  private final RecentRate rate = new RecentRate();
  private long reads;
  private long lookups;
  private long knownLookups;

  /**
   * @param measures whether the hit curve is measured
   */
  SimulatedCache(Kind kind, long bytes, long mostBytes, long seed, boolean measures) {
    this.measures = measures;
    this.kind = kind;
    most = mostBytes;
    cache = new GhostCache(kind.policy(), entries(bytes));
    random = new SplittableRandom(seed);
    shape = new ReuseDistances.Shape(SAMPLED_KEYS, most / BUCKETS + 1, BUCKETS, 1);
    distances = new ReuseDistances(shape);
  }

  private int entries(long bytes) {
    return (int) Math.max(1, bytes / kind.entryBytes());
  }

  /** Looks keys up; returns the seconds that the misses take. */
  double lookUp(int count) {
    long before = reads;
    for (int i = 0; i < count; i++) {
      long rank = (long) (kind.keys() * Math.pow(random.nextDouble(), kind.skew()));
      long hash = BitMixer.murmur(rank + 1);
      if (measures) {
        distances.referenced(hash, 0, kind.entryBytes(), 1);
      }
      reads += cache.reference(hash) ? 0 : 1;
    }
    lookups += count;
    return (reads - before) * kind.secondsOfRead();
  }

  @Override
  public FastUse use() {
    return kind.use();
  }

  @Override
  public long leastBytes() {
    return most / 16;
  }

  @Override
  public Claim claim(double seconds, long nowBytes) {
    double[] histogram = new double[shape.buckets()];
    double references = distances.addTo(0, histogram);
    HitCurve hits = new HitCurve((double) shape.grainBytes(), histogram, references);
    distances.fade(RecentRate.KEEP);
    rate.add((double) (lookups - knownLookups), seconds);
    knownLookups = lookups;
    double ofRead = HitBenefit.secondsOfRead(reads * kind.secondsOfRead(), reads);
    return new Claim(
        use(),
        leastBytes(),
        most,
        HitBenefit.of(hits, 0, most, rate.perSecond(), ofRead),
        Claim.Form.CONCAVE);
  }

  @Override
  public Change resize(long bytes) {
    cache.resize(entries(bytes));
    return Change.DONE;
  }

  @Override
  public String refusal() {
    return "";
  }
}
