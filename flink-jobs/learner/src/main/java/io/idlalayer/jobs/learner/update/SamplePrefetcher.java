package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.store.HotSampleStore;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheStats;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationMember;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.sample.TrainingBatch;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a learner's samples are kept: its durable store behind the hot cache of the process. While
 * a training runs, payloads that the next one will replay are brought into the cache, a few at a
 * time.
 */
public final class SamplePrefetcher implements AutoCloseable {
  private static final int PREFETCHED_AT_ONCE = 128;
  private static final double NANOS_PER_SECOND = 1e9;

  private final HotCache cache;
  private final CacheOwner owner;
  private final HotSampleStore store;
  private final StoreMeter meter;
  private long[] upcoming = {};
  private int prefetched;
  private final @Nullable DonationRounds donations;
  private final @Nullable DonationMember member;
  private long loadNanos;

  /**
   * Gives the cache the number of bytes in the settings, or less if the cache is near its limit.
   *
   * @param samples the durable store
   * @param nanoTime a monotonic clock
   * @param donations the plan of the learner's share of the cache, or null if the share is fixed
   */
  public SamplePrefetcher(
      LearnerIdentity learner,
      SampleStore samples,
      LongSupplier nanoTime,
      HotCache cache,
      @Nullable DonationRounds donations) {
    this.cache = cache;
    this.donations = donations;
    owner = cache.attachUpTo(learner.key().text(), learner.settings().memory().hotBytes());
    meter = new StoreMeter(nanoTime);
    store = new HotSampleStore(new MeteredSampleStore(samples, meter), cache, owner);
    member = donations == null ? null : donations.join(owner, learner.settings().name());
  }

  public SampleStore store() {
    return store;
  }

  /** Reads a batch from the store; how long that takes depends on what is hot. */
  TrainingBatch load(Supplier<TrainingBatch> batch) {
    if (member == null) {
      return batch.get();
    }
    long start = member.nanoTime();
    TrainingBatch loaded = batch.get();
    loadNanos = member.nanoTime() - start;
    return loaded;
  }

  /**
   * The batch that was read last was trained: lets donations be planned by the time that reading
   * and training took for each sample, as updates are of any size.
   */
  void trained(int samples, double trainSeconds) {
    if (member != null && donations != null && samples > 0) {
      member.taskDone((loadNanos + (long) (trainSeconds * NANOS_PER_SECOND)) / samples);
      donations.round();
    }
  }

  /** A training has started: finds out what the next one will replay. */
  void trainingStarted(DataController data, long nextUpdate) {
    upcoming = data.upcoming(nextUpdate);
    prefetched = 0;
  }

  /** Goes on while a training runs; bounded work. */
  public void prefetch(DataController data) {
    if (prefetched < upcoming.length) {
      int end = Math.min(prefetched + PREFETCHED_AT_ONCE, upcoming.length);
      store.prefetch(data.samples().among(Arrays.copyOfRange(upcoming, prefetched, end)));
      prefetched = end;
    }
  }

  /** What the learner did with the cache and the store so far. */
  public Status.HotSamples status() {
    CacheStats.Usage usage = owner.usage();
    return new Status.HotSamples(
        usage.donatedBytes(),
        cache.payloadBytes(owner),
        usage.hits(),
        usage.misses(),
        meter.status());
  }

  @Override
  public void close() {
    store.close();
    if (member != null && donations != null) {
      donations.leave(member);
    }
    cache.detach(owner);
  }
}
