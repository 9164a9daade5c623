package io.idlalayer.jobs.operator;

import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.cache.donation.DonationRow;
import io.idlalayer.middleware.cache.donation.DonationSettings;
import io.idlalayer.middleware.cache.donation.TaskTimeModels;
import io.idlalayer.middleware.cache.shared.SharedHotCache;
import java.lang.management.ManagementFactory;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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

  /** Time between two looks at what other processes offer, in milliseconds. */
  private static final long ROUND_MILLIS = 50;

  private @Nullable HotCache cache;
  private @Nullable SharedHotCache shared;
  private @Nullable ScheduledExecutorService rounds;
  private @Nullable DonationRounds donations;
  private int users;

  private ProcessCache() {}

  /**
   * Returns the cache of this process, shared by all subtasks.
   *
   * @param place where other processes read it; null if they do not
   */
  static HotCache acquire(CacheSettings settings, @Nullable SharedPlace place) {
    return SHARED.enter(settings, place);
  }

  /** Returns the cache of this process if other processes read it, or null. */
  static @Nullable SharedHotCache shared() {
    return SHARED.sharedCache();
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

  private synchronized HotCache enter(CacheSettings settings, @Nullable SharedPlace place) {
    HotCache entered = cache;
    if (entered == null) {
      SharedHotCache opened = place == null ? null : place.open(settings, InstantSource.system());
      entered = opened == null ? new HotCache(settings) : opened.hot();
      if (opened != null) {
        shared = opened;
        rounds = rounds(opened);
      }
      cache = entered;
    }
    users++;
    return entered;
  }

  private static ScheduledExecutorService rounds(SharedHotCache opened) {
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread daemon = new Thread(task, "shared-hot-cache");
              daemon.setDaemon(true);
              return daemon;
            });
    InstantSource clock = InstantSource.system();
    thread.scheduleWithFixedDelay(
        () -> {
          try {
            opened.round(clock.millis());
          } catch (RuntimeException failed) {
            // Lookups do not depend on rounds; without them no new neighbour is seen.
            LOG.error("the shared hot cache looks for no more neighbours", failed);
            throw failed;
          }
        },
        ROUND_MILLIS,
        ROUND_MILLIS,
        TimeUnit.MILLISECONDS);
    return thread;
  }

  private synchronized @Nullable SharedHotCache sharedCache() {
    return shared;
  }

  private synchronized DonationRounds rounds() {
    HotCache acquired = Objects.requireNonNull(cache, "the cache was not acquired");
    DonationRounds started = donations;
    if (started == null) {
      double memoryMib =
          (Runtime.getRuntime().maxMemory() + acquired.ceilingBytes()) / BYTES_PER_MIB;
      started =
          new DonationRounds(
              acquired,
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
      if (rounds != null) {
        rounds.shutdown();
        rounds = null;
      }
      if (shared == null) {
        cache.close();
      } else {
        shared.close();
        shared = null;
      }
      cache = null;
      donations = null;
    }
  }
}
