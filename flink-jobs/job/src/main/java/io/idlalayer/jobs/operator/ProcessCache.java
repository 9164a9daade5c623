package io.idlalayer.jobs.operator;

import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.cache.donation.DonationRow;
import io.idlalayer.middleware.cache.donation.DonationSettings;
import io.idlalayer.middleware.cache.donation.TaskTimeModels;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one hot cache of this process, shared by all subtasks. The first subtask sets its largest
 * size and its policy; it is closed when the last subtask has released it.
 */
final class ProcessCache {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessCache.class);
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final ProcessCache SHARED = new ProcessCache();

  private @Nullable HotCache cache;
  private @Nullable DonationRounds donations;
  private int users;

  private ProcessCache() {}

  static HotCache acquire(CacheSettings settings) {
    return SHARED.enter(settings);
  }

  /**
   * Returns the planner that divides the cache between the learners that want a planned share; the
   * first call creates it.
   */
  static DonationRounds donations() {
    return SHARED.rounds();
  }

  static void release() {
    SHARED.leave();
  }

  private synchronized HotCache enter(CacheSettings settings) {
    HotCache shared = cache;
    if (shared == null) {
      shared = new HotCache(settings);
      cache = shared;
    }
    users++;
    return shared;
  }

  private synchronized DonationRounds rounds() {
    HotCache shared = Objects.requireNonNull(cache, "the cache was not acquired");
    DonationRounds started = donations;
    if (started == null) {
      double memoryMib = (Runtime.getRuntime().maxMemory() + shared.ceilingBytes()) / BYTES_PER_MIB;
      started =
          new DonationRounds(
              shared,
              DonationSettings.defaults(),
              new TaskTimeModels(),
              new DonationRounds.ProcessProbe(
                  System::nanoTime,
                  ProcessCache::gcMillis,
                  () -> memoryMib,
                  (DonationRow row) -> LOG.debug("hot cache donation row {}", row)));
      donations = started;
    }
    return started;
  }

  private static long gcMillis() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(collector -> Math.max(0, collector.getCollectionTime()))
        .sum();
  }

  private synchronized void leave() {
    users--;
    if (users == 0 && cache != null) {
      cache.close();
      cache = null;
      donations = null;
    }
  }
}
