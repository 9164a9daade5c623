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
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hot cache of this process. All subtasks whose applications name the same shared directory share
 * one cache, and so do all subtasks whose applications name none. The first subtask sets the
 * largest size and the policy of the cache. The cache is closed when the last subtask has released
 * it.
 */
final class ProcessCache {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessCache.class);
  private static final double BYTES_PER_MIB = 1 << 20;

  /** Time between two checks for entries that other processes offer, in milliseconds. */
  private static final long ROUND_MILLIS = 50;

  /**
   * The open caches, by the directory in which other processes read them; empty for the cache that
   * no other process reads.
   */
  private static final Map<Optional<String>, ProcessCache> OPEN = new HashMap<>();

  private final Optional<String> key;
  private final HotCache cache;
  private final @Nullable SharedHotCache shared;
  private final @Nullable ScheduledExecutorService rounds;
  private @Nullable DonationRounds donations;
  private int users;

  private ProcessCache(Optional<String> key, CacheSettings settings, @Nullable SharedPlace place) {
    this.key = key;
    InstantSource clock = InstantSource.system();
    shared = place == null ? null : place.open(settings, clock);
    cache = shared == null ? new HotCache(settings) : shared.hot();
    rounds = shared == null ? null : rounds(shared, clock);
  }

  /**
   * Returns the cache of this process for a place. The caller must release the cache.
   *
   * @param place where other processes read the cache; null if no other process reads it
   */
  static ProcessCache acquire(CacheSettings settings, @Nullable SharedPlace place) {
    synchronized (OPEN) {
      Optional<String> key = Optional.ofNullable(place).map(it -> it.directory().toString());
      ProcessCache open =
          OPEN.computeIfAbsent(key, absent -> new ProcessCache(key, settings, place));
      open.users++;
      return open;
    }
  }

  private static ScheduledExecutorService rounds(SharedHotCache opened, InstantSource clock) {
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread daemon = new Thread(task, "shared-hot-cache");
              daemon.setDaemon(true);
              return daemon;
            });
    var unused =
        thread.scheduleWithFixedDelay(
            () -> round(opened, clock), ROUND_MILLIS, ROUND_MILLIS, TimeUnit.MILLISECONDS);
    return thread;
  }

  private static void round(SharedHotCache opened, InstantSource clock) {
    try {
      opened.round(clock.millis());
    } catch (RuntimeException failed) {
      // Lookups work without rounds, but this process no longer sees new neighbours.
      LOG.error("the shared hot cache looks for no more neighbours", failed);
      throw failed;
    }
  }

  HotCache hot() {
    return cache;
  }

  /** Returns this cache as a shared cache; null if other processes do not or cannot read it. */
  @Nullable SharedHotCache shared() {
    return shared;
  }

  /**
   * Returns the planner that divides the cache between the learners that want a planned share; the
   * first call creates it.
   */
  synchronized DonationRounds donations() {
    DonationRounds started = donations;
    if (started == null) {
      double memoryMib = (Runtime.getRuntime().maxMemory() + cache.ceilingBytes()) / BYTES_PER_MIB;
      started =
          new DonationRounds(
              cache,
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

  void release() {
    synchronized (OPEN) {
      users--;
      if (users == 0) {
        OPEN.remove(key);
        close();
      }
    }
  }

  private void close() {
    if (rounds != null) {
      rounds.shutdown();
    }
    if (shared == null) {
      cache.close();
    } else {
      shared.close();
    }
  }
}
