package io.idlalayer.benchmarks.cache;

import io.idlalayer.benchmarks.cache.BlockWorkloads.Log;
import io.idlalayer.benchmarks.cache.BlockWorkloads.Reference;
import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The dissertation's experiments on the shared cache (E4.1 hit rate, E4.2 locality, E4.3 run time,
 * E4.6 memory overhead), with block references logged from real runs of its applications. Hit rates
 * and locality are SIMULATED (the cache is real, time is not); run times are EMULATED (real bytes,
 * a delay for every block that comes from slow memory).
 */
public final class SharedCacheExperiment {
  private static final int BLOCK_BYTES = 16 * 1024 - 8;
  private static final int OCCUPIED_BYTES = 16 * 1024;
  private static final int[] PERCENTS = {4, 16, 32, 64};
  private static final long MISS_NANOS = 10_000;
  private static final int REPEATS = 1;

  private SharedCacheExperiment() {}

  /** One run: hits of all lookups, those found that another executor had put there, ... */
  private record Outcome(
      double hitRatio, double crossRatio, double locality, double seconds, long bookBytes) {}

  public static void main(String[] args) throws IOException {
    Path graph = Path.of(args[0]);
    System.out.println(
        "application executors capacity% caches policy hit-ratio cross-hits locality"
            + " emulated-seconds book-bytes/block");
    for (int executors : new int[] {2, 4}) {
      for (Log log :
          List.of(
              BlockWorkloads.kMeans(executors, 1),
              BlockWorkloads.singularValues(executors),
              BlockWorkloads.pageRank(executors, graph))) {
        for (int percent : PERCENTS) {
          int capacity = Math.max(executors * 16, log.blocks() * percent / 100);
          for (boolean shared : new boolean[] {false, true}) {
            for (PolicyName policy : PolicyName.values()) {
              print(log, percent, shared, policy, median(log, capacity, shared, policy));
            }
          }
          belady(log, percent, capacity);
        }
      }
    }
  }

  private static Outcome median(Log log, int capacity, boolean shared, PolicyName policy) {
    List<Outcome> outcomes = new ArrayList<>();
    // Only times differ from run to run.
    for (int repeat = 0; repeat < REPEATS; repeat++) {
      outcomes.add(run(log, capacity, shared, policy));
    }
    outcomes.sort((a, b) -> Double.compare(a.seconds(), b.seconds()));
    return outcomes.get(REPEATS / 2);
  }

  private static Outcome run(Log log, int capacity, boolean shared, PolicyName policy) {
    int caches = shared ? 1 : log.executors();
    HotCache[] cache = new HotCache[caches];
    CacheOwner[] owners = new CacheOwner[log.executors()];
    long each = (long) capacity / log.executors() * OCCUPIED_BYTES;
    for (int i = 0; i < caches; i++) {
      cache[i] = new HotCache(new CacheSettings(shared ? each * log.executors() : each, policy));
    }
    for (int i = 0; i < owners.length; i++) {
      owners[i] = cache[i % caches].attach("executor-" + i, each);
    }
    byte[] block = new byte[BLOCK_BYTES];
    byte[] buffer = new byte[BLOCK_BYTES];
    Locality locality = new Locality();
    CRC32C work = new CRC32C();
    long start = System.nanoTime();
    for (Reference reference : log.references()) {
      HotCache mine = cache[reference.executor() % caches];
      int found = mine.get(owners[reference.executor()], 0, reference.block(), buffer);
      if (found < 0) {
        delay();
        mine.put(owners[reference.executor()], 0, reference.block(), block, Reuse.UNKNOWN);
        locality.stored(reference.executor() % caches, reference.block());
      } else {
        locality.hit(reference.executor() % caches, reference.block());
      }
      // What an executor does with a block, so that time is not all misses.
      work.update(buffer);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long hits = Arrays.stream(owners).mapToLong(owner -> owner.usage().hits()).sum();
    long cross = Arrays.stream(owners).mapToLong(owner -> owner.usage().crossHits()).sum();
    long books = 0;
    long blocks = 0;
    for (HotCache one : cache) {
      books += one.stats().bookBytes();
      blocks += one.stats().blocks();
      one.close();
    }
    int n = log.references().size();
    return new Outcome(
        (double) hits / n,
        (double) cross / n,
        locality.share(),
        seconds,
        books / Math.max(1, blocks));
  }

  /** A block from slow memory: the latency and transfer of a fast NVMe device. */
  private static void delay() {
    long end = System.nanoTime() + MISS_NANOS;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  /** Share of the stored blocks that were referenced again before they left. */
  private static final class Locality {
    private final Set<Long> fresh = new HashSet<>();
    private long stored;
    private long useful;

    void stored(int cache, int block) {
      stored++;
      fresh.add(((long) cache << 32) | block);
    }

    void hit(int cache, int block) {
      if (fresh.remove(((long) cache << 32) | block)) {
        useful++;
      }
    }

    double share() {
      return (double) useful / Math.max(1, stored);
    }
  }

  private static void print(
      Log log, int percent, boolean shared, PolicyName policy, Outcome outcome) {
    System.out.printf(
        Locale.ROOT,
        "%s %d %d %s %s %.4f %.4f %.4f %.3f %d%n",
        log.name(),
        log.executors(),
        percent,
        shared ? "shared" : "isolated",
        policy.key(),
        outcome.hitRatio(),
        outcome.crossRatio(),
        outcome.locality(),
        outcome.seconds(),
        outcome.bookBytes());
  }

  private static void belady(Log log, int percent, int capacity) {
    long[] keys = log.references().stream().mapToLong(Reference::block).toArray();
    double ratio = (double) Belady.hits(keys, capacity) / keys.length;
    System.out.printf(
        Locale.ROOT,
        "%s %d %d shared belady %.4f - - - -%n",
        log.name(),
        log.executors(),
        percent,
        ratio);
  }
}
