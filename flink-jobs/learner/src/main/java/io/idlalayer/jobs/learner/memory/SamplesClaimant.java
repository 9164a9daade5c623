package io.idlalayer.jobs.learner.memory;

import io.idlalayer.jobs.learner.samples.StoreMeter;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheStats;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.policy.HitCurve;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * The part of the process's hot cache of samples that a learner donates. All learners use the whole
 * cache, so its hit curve and its lookups include those of all learners.
 */
public final class SamplesClaimant implements Claimant {
  private final HotCache cache;
  private final CacheOwner owner;
  private final StoreMeter meter;
  private final FastBudget budget;
  private final LongSupplier nanoTime;
  private final RecentRate references = new RecentRate();
  private long knownLookups;
  private long knownPrefetched;

  /**
   * Creates the claimant, and starts to measure the cache's hit curve.
   *
   * @param owner the learner's own part
   * @param meter meter of the learner's reads from the store of samples
   * @param nanoTime a monotonic clock, the same one for all learners
   */
  public SamplesClaimant(
      HotCache cache,
      CacheOwner owner,
      StoreMeter meter,
      FastBudget budget,
      LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.cache = cache;
    this.owner = owner;
    this.meter = meter;
    this.budget = budget;
    cache.measure();
  }

  @Override
  public FastUse use() {
    return FastUse.SAMPLES;
  }

  @Override
  public long leastBytes() {
    return budget.leastBytes();
  }

  @Override
  public Claim claim(double seconds, long nowBytes) {
    CacheStats stats = cache.stats();
    HitCurve hits = cache.hitCurve();
    long lookups = stats.owners().stream().mapToLong(each -> each.hits() + each.misses()).sum();
    long prefetched = Math.max(0, meter.reads() - owner.usage().misses());
    long more = Math.max(0, lookups - knownLookups) + Math.max(0, prefetched - knownPrefetched);
    references.add((double) more, seconds);
    knownLookups = lookups;
    knownPrefetched = prefetched;
    cache.fade(nanoTime.getAsLong());
    return new Claim(
        use(),
        leastBytes(),
        budget.mostBytes(),
        HitBenefit.of(
            hits,
            cache.limitBytes() - owner.donatedBytes(),
            budget.mostBytes(),
            references.perSecond(),
            HitBenefit.secondsOfRead(meter.status().waitSeconds(), meter.reads())),
        Claim.Form.CONCAVE);
  }

  @Override
  public Change resize(long bytes) {
    cache.resizeUpTo(owner, bytes);
    return owner.donatedBytes() == bytes ? Change.DONE : Change.REFUSED;
  }

  @Override
  public String refusal() {
    return String.format(
        Locale.ROOT,
        "other learners have given so much to the hot cache that it is at its limit of %,d bytes",
        cache.ceilingBytes());
  }
}
