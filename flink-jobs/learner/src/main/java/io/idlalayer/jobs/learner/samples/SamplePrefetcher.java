package io.idlalayer.jobs.learner.samples;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.store.DeferredMetadata;
import io.idlalayer.datacontroller.store.HotPayloads;
import io.idlalayer.datacontroller.store.HotSampleStore;
import io.idlalayer.datacontroller.store.PayloadDigests;
import io.idlalayer.datacontroller.store.PrivatePayloads;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.SharedPayloads;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheStats;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationMember;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.cache.shared.SharedHotCache;
import io.idlalayer.middleware.sample.TrainingBatch;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sample store of a learner: its durable store behind the hot cache of the process. During a
 * training it prefetches payloads that the next training will replay into the cache, a few at a
 * time.
 */
public final class SamplePrefetcher implements AutoCloseable {
  private static final int PREFETCHED_AT_ONCE = 128;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long[] NOTHING = {};

  private final HotCache cache;
  private final CacheOwner owner;
  private final DeferredMetadata deferred;
  private final HotSampleStore store;
  private final StoreMeter meter;
  private long[] upcoming = NOTHING;
  private int prefetched;

  /** Number of reads from the durable store when the last training started. */
  private long readsBefore = -1;

  private final @Nullable DonationRounds donations;
  private final @Nullable DonationMember member;
  private long loadNanos;

  /**
   * Creates the store, and asks for the cache bytes in the settings, or fewer if the cache is near
   * its limit.
   *
   * @param samples the durable store
   * @param nanoTime a monotonic clock
   * @param donations the plan of the learner's share of the cache, or null if the share is fixed
   * @param shared the cache if other processes read it, or null
   */
  public SamplePrefetcher(
      LearnerIdentity learner,
      SampleStore samples,
      LongSupplier nanoTime,
      HotCache cache,
      @Nullable DonationRounds donations,
      @Nullable SharedHotCache shared) {
    this.cache = cache;
    this.donations = donations;
    owner = cache.attachUpTo(learner.key().text(), learner.settings().memory().hotBytes());
    meter = new StoreMeter(nanoTime);
    PayloadDigests digests = new PayloadDigests();
    HotPayloads hot =
        shared == null
            ? new PrivatePayloads(cache, owner)
            : new SharedPayloads(shared, owner, digests);
    SampleStore durable = shared == null ? samples : samples.withDigests(digests);
    deferred = new DeferredMetadata(durable);
    store = new HotSampleStore(new MeteredSampleStore(deferred, meter), hot);
    member = donations == null ? null : donations.join(owner, learner.settings().name());
  }

  /** Returns the learner's part of the cache. */
  public CacheOwner owner() {
    return owner;
  }

  /** Returns the meter of the learner's reads from the durable store. */
  public StoreMeter meter() {
    return meter;
  }

  public SampleStore store() {
    return store;
  }

  /**
   * Writes everything that the durable store does not contain yet, before a checkpoint is taken.
   */
  public void write() {
    deferred.write();
  }

  /**
   * Reads a batch from the store and measures the time, which depends on the payloads in the cache.
   */
  public TrainingBatch load(Supplier<TrainingBatch> batch) {
    if (member == null) {
      return batch.get();
    }
    long start = member.nanoTime();
    TrainingBatch loaded = batch.get();
    loadNanos = member.nanoTime() - start;
    return loaded;
  }

  /**
   * Reports to the planner of donations that the last batch was trained. Donations are planned by
   * the time of reading and training for each sample, because the sizes of updates vary.
   */
  public void trained(int samples, double trainSeconds) {
    if (member != null && donations != null && samples > 0) {
      member.taskDone((loadNanos + (long) (trainSeconds * NANOS_PER_SECOND)) / samples);
      donations.round();
    }
  }

  /**
   * Determines which samples the next training will replay, for {@link #prefetch}; called when a
   * training has started. Nothing is prefetched if all payloads that were needed since the last
   * training were in the cache.
   */
  public void trainingStarted(DataController data, long nextUpdate) {
    long reads = store.reads();
    upcoming = reads == readsBefore ? NOTHING : data.upcoming(nextUpdate);
    readsBefore = reads;
    prefetched = 0;
  }

  /**
   * Loads the next few payloads of the samples to be replayed into the cache; a call does bounded
   * work.
   */
  public void prefetch(DataController data) {
    if (prefetched < upcoming.length) {
      int end = Math.min(prefetched + PREFETCHED_AT_ONCE, upcoming.length);
      store.prefetch(data.samples().among(Arrays.copyOfRange(upcoming, prefetched, end)));
      prefetched = end;
    }
  }

  /** Returns the learner's use of the cache and the store so far. */
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
