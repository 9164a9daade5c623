package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the cache counts adds up (specs, iMlayer 2.5 T6). */
class HotCacheCountsTest {
  private static final int THREADS = 4;
  private static final int READS = 20_000;
  private static final int ROUND = 500;

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void vectorT6_hitsAndMissesAreTheReferencesOfEveryOwner(PolicyName policy) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try (HotCache cache = new HotCache(new CacheSettings(256 << 10, policy))) {
      CacheOwner[] owners = new CacheOwner[THREADS];
      Future<?>[] running = new Future<?>[THREADS];
      CyclicBarrier round = new CyclicBarrier(THREADS);
      long[] hits = new long[THREADS];
      long[] puts = new long[THREADS];
      for (int t = 0; t < THREADS; t++) {
        owners[t] = cache.attach("owner" + t, 64 << 10);
      }
      for (int t = 0; t < THREADS; t++) {
        int me = t;
        running[t] =
            pool.submit(
                () -> {
                  SplittableRandom random = new SplittableRandom(me);
                  byte[] into = new byte[600];
                  for (int i = 0; i < READS; i++) {
                    if (i % ROUND == 0) {
                      // One thread alone could be done before another puts anything.
                      round.await();
                    }
                    long id = random.nextInt(1000);
                    if (cache.get(owners[me], 0, id, into) >= 0) {
                      hits[me]++;
                    } else {
                      puts[me]++;
                      cache.put(owners[me], 0, id, new byte[random.nextInt(600)], Reuse.UNKNOWN);
                    }
                  }
                  return null;
                });
      }
      for (Future<?> each : running) {
        each.get();
      }
      for (int t = 0; t < THREADS; t++) {
        CacheStats.Usage usage = owners[t].usage();
        assertThat(usage.hits() + usage.misses()).isEqualTo(READS);
        assertThat(usage.hits()).isEqualTo(hits[t]);
        assertThat(usage.puts()).isEqualTo(puts[t]).isEqualTo(usage.misses());
      }
      long ofAll = 0;
      for (CacheOwner owner : owners) {
        assertThat(cache.payloadBytes(owner)).isPositive();
        ofAll += cache.payloadBytes(owner);
      }
      assertThat(ofAll).isEqualTo(cache.stats().payloadBytes());
      cache.detach(owners[0]);
      assertThat(cache.payloadBytes(owners[0])).isZero();
      CacheOwner next = cache.attach("next", 64 << 10);
      assertThat(cache.payloadBytes(next)).as("another owner of the same number").isZero();
    } finally {
      pool.shutdownNow();
    }
  }
}
