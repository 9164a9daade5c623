package io.idlalayer.benchmarks.cache;

import io.idlalayer.middleware.cache.memory.BlockMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * One cache shared by threads: hit ratios and times of recorded traces, and of hits alone, beside
 * Caffeine with as many entries. Arguments: traces of one decimal key a line, then the capacity in
 * percent of the keys.
 */
public final class ThreadsExperiment {
  private static final int PAYLOAD_BYTES = 64;
  private static final int[] THREADS = {1, 2, 4};
  private static final int WARM_REFERENCES = 1_000_000;
  private static final int REFERENCES = 4_000_000;
  private static final int REPEATS_MIN = 5;
  private static final int REPEATS_MAX = 101;

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

  private interface Maker {
    ThreadedCache make();
  }

  private static void traces(Path file, int percent) throws IOException, InterruptedException {
    CacheTrace trace = CacheTrace.read(file, TraceFormat.KEYS);
    long bytes =
        Math.max(1, (long) trace.distinct() * percent / 100)
            * BlockMemory.occupiedBytes(PAYLOAD_BYTES);
    long entries;
    try (ThreadedReplay alone = new ThreadedReplay(1);
        ThreadedCache cache = ThreadedCache.hot(bytes)) {
      alone.replay(trace.keys(), PAYLOAD_BYTES, cache);
      // Regions, headers and gaps: what it holds is a little less than asked for.
      entries = cache.size();
    }
    String name = String.valueOf(file.getFileName()).replace(".trace.gz", "");
    row(name, entries, "adaptive", trace.keys(), () -> ThreadedCache.hot(bytes));
    row(name, entries, "caffeine", trace.keys(), () -> ThreadedCache.caffeine(entries));
  }

  private static void row(String name, long entries, String cache, long[] keys, Maker maker)
      throws InterruptedException {
    StringBuilder row = new StringBuilder("| %s | %,d | %s |".formatted(name, entries, cache));
    for (int threads : THREADS) {
      ThreadedReplay.Outcome outcome = repeated(threads, keys, maker);
      row.append(
          String.format(
              Locale.ROOT, " %.4f | %.0f |", outcome.hitRatio(), outcome.nanosPerAccess()));
    }
    System.out.println(row);
  }

  /** Mean hit ratio and median time of replays that each begin with an empty cache. */
  private static ThreadedReplay.Outcome repeated(int threads, long[] keys, Maker maker)
      throws InterruptedException {
    int warm = 1 + WARM_REFERENCES / keys.length;
    int repeats = Math.max(REPEATS_MIN, Math.min(REPEATS_MAX, REFERENCES / keys.length));
    double ratios = 0;
    double[] nanos = new double[repeats];
    try (ThreadedReplay replay = new ThreadedReplay(threads)) {
      for (int repeat = -warm; repeat < repeats; repeat++) {
        try (ThreadedCache cache = maker.make()) {
          ThreadedReplay.Outcome one = replay.replay(keys, PAYLOAD_BYTES, cache);
          if (repeat >= 0) {
            ratios += one.hitRatio();
            nanos[repeat] = one.nanosPerAccess();
          }
        }
      }
    }
    return new ThreadedReplay.Outcome(ratios / repeats, median(nanos));
  }

  /** All by turns, slice by slice, so that a busy machine is busy for all of them. */
  private static void hits(int payloadBytes) throws InterruptedException {
    double[][] nanos = new double[4][SLICES];
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
        int at = Math.max(0, slice);
        nanos[0][at] = one.hitNanos(keys, payloadBytes, hot, SLICE_NANOS);
        nanos[1][at] = two.hitNanos(keys, payloadBytes, hot, SLICE_NANOS);
        nanos[2][at] = one.hitNanos(keys, payloadBytes, caffeine, SLICE_NANOS);
        nanos[3][at] = two.hitNanos(keys, payloadBytes, caffeine, SLICE_NANOS);
      }
    }
    int at = 0;
    for (String cache : List.of("adaptive", "caffeine")) {
      System.out.printf(
          Locale.ROOT,
          "| %,d | %s | %.1f | %.1f |%n",
          payloadBytes,
          cache,
          median(nanos[at++]),
          median(nanos[at++]));
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
