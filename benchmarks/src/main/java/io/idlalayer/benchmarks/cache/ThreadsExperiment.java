package io.idlalayer.benchmarks.cache;

import io.idlalayer.middleware.cache.memory.BlockMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * One cache shared by threads: hit ratios and times of recorded traces, and of hits alone, beside
 * Caffeine with as many entries. Arguments: traces of one decimal key a line, then the capacity in
 * percent of the keys.
 */
public final class ThreadsExperiment {
  private static final int PAYLOAD_BYTES = 64;
  private static final List<String> CACHES = List.of("adaptive", "caffeine");
  private static final int[] THREADS = {1, 2, 4};
  private static final int REGION_BYTES_MIN = 4096;
  private static final int REGIONS = 16;
  private static final int REFERENCES_PER_RUN = 1_000_000;
  private static final int WARM_RUNS = 2;
  private static final int RUNS = 9;

  private static final int HIT_KEYS = 10_000;
  private static final int HIT_DRAWS = 1 << 16;
  private static final long HIT_CACHE_BYTES = 256L << 20;
  private static final int[] HIT_PAYLOADS = {64, 1_024};
  private static final int SLICES = 24;
  private static final int WARM_SLICES = 8;
  private static final long SLICE_NANOS = 200_000_000;

  private ThreadsExperiment() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 2) {
      throw new IllegalArgumentException("arguments: TRACE... PERCENT");
    }
    int percent = Integer.parseInt(args[args.length - 1]);
    System.out.println(
        "| trace | entries | cache | 1 thread, hits | ns | 2 threads, hits | ns"
            + " | 4 threads, hits | ns |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    for (String file : Arrays.asList(args).subList(0, args.length - 1)) {
      traces(Path.of(file), percent);
    }
    System.out.println();
    System.out.println("| 10,000 x bytes | cache | 1 thread, ns | 2 threads, ns |");
    System.out.println("|---|---|---|---|");
    for (int payloadBytes : HIT_PAYLOADS) {
      hits(payloadBytes);
    }
  }

  private static void traces(Path file, int percent) throws IOException, InterruptedException {
    CacheTrace trace = CacheTrace.read(file, TraceFormat.KEYS);
    long bytes = bytesFor(Math.max(1, (long) trace.distinct() * percent / 100));
    long entries;
    try (ThreadedReplay alone = new ThreadedReplay(1);
        ThreadedCache cache = ThreadedCache.hot(bytes)) {
      alone.replay(trace.keys(), PAYLOAD_BYTES, List.of(cache));
      entries = cache.size();
    }
    Sums[] sums = repeated(trace.keys(), bytes, entries);
    String name = String.valueOf(file.getFileName()).replace(".trace.gz", "");
    for (int cache = 0; cache < CACHES.size(); cache++) {
      StringBuilder row =
          new StringBuilder("| %s | %,d | %s |".formatted(name, entries, CACHES.get(cache)));
      for (int i = 0; i < THREADS.length; i++) {
        Sums sum = sums[cache * THREADS.length + i];
        row.append(String.format(Locale.ROOT, " %.4f | %.0f |", sum.hitRatio(), sum.nanos()));
      }
      System.out.println(row);
    }
  }

  /**
   * Returns the memory for a number of entries, in whole regions, because a cache uses no others.
   */
  private static long bytesFor(long entries) {
    long bytes = entries * BlockMemory.occupiedBytes(PAYLOAD_BYTES);
    long region = Math.max(REGION_BYTES_MIN, Long.highestOneBit(bytes / REGIONS));
    return (bytes + region - 1) / region * region;
  }

  /** Sums over the replays with one cache and one number of threads. */
  private static final class Sums {
    private final List<Double> nanos = new ArrayList<>();
    private double hitRatios;

    void add(ThreadedReplay.Outcome outcome) {
      hitRatios += outcome.hitRatio();
      nanos.add(outcome.nanosPerAccess());
    }

    double hitRatio() {
      return hitRatios / nanos.size();
    }

    double nanos() {
      return median(nanos);
    }
  }

  /**
   * Each cache with each number of threads by turns, run by run, so that a busy machine is busy for
   * all of them; each replay begins with an empty cache.
   */
  private static Sums[] repeated(long[] keys, long bytes, long entries)
      throws InterruptedException {
    int passes = Math.max(1, REFERENCES_PER_RUN / keys.length);
    Sums[] sums = new Sums[CACHES.size() * THREADS.length];
    Arrays.setAll(sums, i -> new Sums());
    try (ThreadedReplay one = new ThreadedReplay(THREADS[0]);
        ThreadedReplay two = new ThreadedReplay(THREADS[1]);
        ThreadedReplay four = new ThreadedReplay(THREADS[2])) {
      List<ThreadedReplay> replays = List.of(one, two, four);
      for (int run = -WARM_RUNS; run < RUNS; run++) {
        for (int i = 0; i < sums.length; i++) {
          boolean hot = i < THREADS.length;
          List<ThreadedCache> caches =
              Stream.generate(
                      () -> hot ? ThreadedCache.hot(bytes) : ThreadedCache.caffeine(entries))
                  .limit(passes)
                  .toList();
          ThreadedReplay.Outcome outcome =
              replays.get(i % THREADS.length).replay(keys, PAYLOAD_BYTES, caches);
          caches.forEach(ThreadedCache::close);
          if (run >= 0) {
            sums[i].add(outcome);
          }
        }
      }
    }
    return sums;
  }

  /** By turns too, slice by slice. */
  private static void hits(int payloadBytes) throws InterruptedException {
    List<List<Double>> nanos =
        List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    try (ThreadedCache hot = ThreadedCache.hot(HIT_CACHE_BYTES);
        ThreadedCache caffeine = ThreadedCache.caffeine(2L * HIT_KEYS);
        ThreadedReplay one = new ThreadedReplay(1);
        ThreadedReplay two = new ThreadedReplay(2)) {
      for (long key = 0; key < HIT_KEYS; key++) {
        hot.put(key, new byte[payloadBytes]);
        caffeine.put(key, new byte[payloadBytes]);
      }
      SplittableRandom random = new SplittableRandom(1);
      long[][] keys = new long[2][];
      Arrays.setAll(keys, thread -> random.longs(HIT_DRAWS, 0, HIT_KEYS).toArray());
      for (int slice = -WARM_SLICES; slice < SLICES; slice++) {
        for (int i = 0; i < nanos.size(); i++) {
          ThreadedReplay replay = i % 2 == 0 ? one : two;
          ThreadedCache cache = i < 2 ? hot : caffeine;
          double each = replay.hitNanos(keys, payloadBytes, cache, SLICE_NANOS);
          if (slice >= 0) {
            nanos.get(i).add(each);
          }
        }
      }
    }
    for (int cache = 0; cache < CACHES.size(); cache++) {
      System.out.printf(
          Locale.ROOT,
          "| %,d | %s | %.1f | %.1f |%n",
          payloadBytes,
          CACHES.get(cache),
          median(nanos.get(2 * cache)),
          median(nanos.get(2 * cache + 1)));
    }
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
