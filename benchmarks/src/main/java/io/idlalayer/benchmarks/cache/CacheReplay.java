package io.idlalayer.benchmarks.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.middleware.cache.policy.GhostCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import java.util.function.LongPredicate;

/** Replays a trace through one policy after the other; each entry counts one. */
final class CacheReplay {
  /** Not measured. */
  static final double UNKNOWN = -1;

  private static final int WARM_UP_REFERENCES = 2_000_000;
  private static final int WARM_UPS_MAX = 100;

  private CacheReplay() {}

  /**
   * The result of a policy.
   *
   * @param bytesPerEntry bytes of table and policy for each entry, without payload; -1 if unknown
   */
  record Outcome(String policy, double hitRatio, double nanosPerAccess, double bytesPerEntry) {}

  static Outcome own(PolicyName name, CacheTrace trace, int capacity, int repeats) {
    double ratio = 0;
    double bytes = 0;
    double[] nanos = new double[repeats];
    for (int repeat = -warmUps(trace); repeat < repeats; repeat++) {
      GhostCache cache = new GhostCache(name, capacity);
      Run run = run(trace, key -> cache.reference(mix(key)));
      ratio = run.ratio();
      nanos[Math.max(0, repeat)] = run.nanos();
      bytes = (double) cache.metadataBytes() / Math.max(1, cache.size());
    }
    return new Outcome(name.key(), ratio, Repeats.median(nanos), bytes);
  }

  static Outcome caffeine(CacheTrace trace, int capacity, int repeats) {
    double ratio = 0;
    double[] nanos = new double[repeats];
    for (int repeat = -warmUps(trace); repeat < repeats; repeat++) {
      // Its maintenance on the calling thread, so that the outcome does not hang on the scheduler.
      Cache<Long, Boolean> cache =
          Caffeine.newBuilder().maximumSize(capacity).executor(Runnable::run).build();
      Run run =
          run(
              trace,
              key -> {
                if (cache.getIfPresent(key) != null) {
                  return true;
                }
                cache.put(key, Boolean.TRUE);
                return false;
              });
      ratio = run.ratio();
      nanos[Math.max(0, repeat)] = run.nanos();
    }
    return new Outcome("caffeine", ratio, Repeats.median(nanos), UNKNOWN);
  }

  static Outcome belady(CacheTrace trace, int capacity) {
    double ratio = (double) Belady.hits(trace.keys(), capacity) / trace.keys().length;
    return new Outcome("belady", ratio, UNKNOWN, UNKNOWN);
  }

  private record Run(double ratio, double nanos) {}

  /** Returns the number of runs of a trace after which its code is compiled. */
  private static int warmUps(CacheTrace trace) {
    return 1 + Math.min(WARM_UPS_MAX, WARM_UP_REFERENCES / trace.keys().length);
  }

  private static Run run(CacheTrace trace, LongPredicate reference) {
    long hits = 0;
    long start = System.nanoTime();
    for (long key : trace.keys()) {
      if (reference.test(key)) {
        hits++;
      }
    }
    long nanos = System.nanoTime() - start;
    return new Run((double) hits / trace.keys().length, (double) nanos / trace.keys().length);
  }

  /** The finalizer of MurmurHash3: policies sample and place keys by well mixed hashes. */
  static long mix(long key) {
    long mixed = key + 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 33)) * 0xFF51AFD7ED558CCDL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xC4CEB9FE1A85EC53L;
    return mixed ^ (mixed >>> 33);
  }
}
