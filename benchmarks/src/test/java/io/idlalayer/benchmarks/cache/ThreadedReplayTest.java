package io.idlalayer.benchmarks.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.cache.memory.BlockMemory;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThreadedReplayTest {
  private static final int PAYLOAD_BYTES = 64;

  private static long[] keys() {
    SplittableRandom random = new SplittableRandom(3);
    return random.longs(20_003, 0, 1000).map(key -> key * key / 1000).toArray();
  }

  private static ThreadedCache hot(int entries) {
    return ThreadedCache.hot(entries * BlockMemory.occupiedBytes(PAYLOAD_BYTES));
  }

  /** Counts what it is asked, and holds nothing. */
  private static final class FakeCache implements ThreadedCache {
    final AtomicLong gets = new AtomicLong();
    final AtomicLong puts = new AtomicLong();
    final AtomicLong keys = new AtomicLong();

    @Override
    public boolean get(long key, byte[] into) {
      gets.incrementAndGet();
      keys.addAndGet(key);
      return false;
    }

    @Override
    public void put(long key, byte[] payload) {
      puts.incrementAndGet();
    }

    @Override
    public long size() {
      return 0;
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void replay_severalThreads_makesEveryReferenceOnce(int threads) throws Exception {
    long[] keys = keys();
    long sum = 0;
    for (long key : keys) {
      sum += key;
    }
    try (ThreadedReplay replay = new ThreadedReplay(threads)) {
      FakeCache cache = new FakeCache();
      ThreadedReplay.Outcome outcome = replay.replay(keys, PAYLOAD_BYTES, List.of(cache, cache));

      assertThat(outcome.hitRatio()).isZero();
      assertThat(outcome.nanosPerAccess()).isPositive();
      assertThat(cache.gets).hasValue(2L * keys.length);
      assertThat(cache.puts).hasValue(2L * keys.length);
      assertThat(cache.keys).hasValue(2 * sum);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void whatFitsIsMissedOnceAtLeast_andOncePerThreadAtMost(int threads) throws Exception {
    CacheTrace trace = CacheTrace.of(keys());
    try (ThreadedReplay replay = new ThreadedReplay(threads);
        ThreadedCache hot = hot(4_000);
        ThreadedCache caffeine = ThreadedCache.caffeine(4_000)) {
      for (ThreadedCache cache : new ThreadedCache[] {hot, caffeine}) {
        double misses = 1 - replay.replay(trace.keys(), PAYLOAD_BYTES, List.of(cache)).hitRatio();
        double least = (double) trace.distinct() / trace.keys().length;
        assertThat(misses).isBetween(least - 1e-12, threads * least + 1e-12);
        assertThat(cache.size()).isEqualTo(trace.distinct());
      }
    }
  }

  /** One thread's notes are all told to the policy: its hits are those of a replay by hand. */
  @Test
  void oneThread_hitsAsOftenEveryTime() throws Exception {
    long[] keys = keys();
    byte[] payload = new byte[PAYLOAD_BYTES];
    long hits = 0;
    try (ThreadedCache cache = hot(200)) {
      for (long key : keys) {
        if (cache.get(key, payload)) {
          hits++;
        } else {
          cache.put(key, payload);
        }
      }
    }
    try (ThreadedReplay replay = new ThreadedReplay(1)) {
      for (int repeat = 0; repeat < 3; repeat++) {
        try (ThreadedCache cache = hot(200)) {
          assertThat(replay.replay(keys, PAYLOAD_BYTES, List.of(cache)).hitRatio())
              .isCloseTo((double) hits / keys.length, within(1e-12));
        }
      }
    }
  }

  @Test
  void hitsAlone_ofAKeyThatIsNotThere_areRefused() throws Exception {
    try (ThreadedReplay replay = new ThreadedReplay(2);
        ThreadedCache cache = hot(200)) {
      long[][] keys = {{1, 2}, {2, 1}};
      cache.put(1, new byte[PAYLOAD_BYTES]);
      assertThatThrownBy(() -> replay.hitNanos(keys, PAYLOAD_BYTES, cache, 1_000_000))
          .hasRootCauseMessage("a key is not resident");
      cache.put(2, new byte[PAYLOAD_BYTES]);
      assertThat(replay.hitNanos(keys, PAYLOAD_BYTES, cache, 1_000_000)).isPositive();
    }
  }
}
