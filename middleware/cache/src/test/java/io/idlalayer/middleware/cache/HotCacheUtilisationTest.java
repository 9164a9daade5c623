package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.HotCache.PutResult;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory that is given is used: by any donation, block length and mixture of lengths. */
class HotCacheUtilisationTest {
  private static final int MIB = 1 << 20;

  /** Share of hits late in a loop over twice as many blocks as the budget holds. */
  private static double loop(PolicyName policy, int length) {
    int budget = 1 << 20;
    int blocks = 2 * budget / length;
    try (HotCache cache = new HotCache(new CacheSettings(budget, policy))) {
      CacheOwner owner = cache.attach("a", budget);
      byte[] payload = new byte[length];
      CacheOwner late = cache.attach("late", 0);
      for (int step = 0; step < 60 * blocks; step++) {
        CacheOwner who = step < 30 * blocks ? owner : late;
        if (cache.get(who, 0, step % blocks) == null) {
          cache.put(who, 0, step % blocks, payload, Reuse.UNKNOWN);
        }
      }
      return late.usage().hitRatio();
    }
  }

  /** Lengths that fill a region exactly, and lengths that leave a part of each unused. */
  @ParameterizedTest
  @ValueSource(ints = {504, 1000, 1016, 2500, 5000, 11_000, 22_000})
  void adaptive_keepsPartOfALoop_whateverTheBlockLength(int length) {
    double best = Math.max(loop(PolicyName.PAPER, length), loop(PolicyName.W_TINY_LFU, length));

    assertThat(loop(PolicyName.ADAPTIVE, length)).isGreaterThan(0.9 * best);
  }

  /** A block among smaller ones costs about its own length, not most of the cache. */
  @ParameterizedTest
  @CsvSource({"LRU, 10000", "LRU, 60000", "ADAPTIVE, 60000", "SRRIP, 60000", "W_TINY_LFU, 60000"})
  void largeBlock_doesNotEmptyTheCache(PolicyName policy, int length) {
    try (HotCache cache = new HotCache(new CacheSettings(MIB, policy))) {
      CacheOwner owner = cache.attach("a", MIB);
      SplittableRandom random = new SplittableRandom(3);
      for (int step = 0; step < 20_000; step++) {
        int id = random.nextInt(1500);
        if (cache.get(owner, 0, id) == null) {
          cache.put(owner, 0, id, new byte[900 + random.nextInt(200)], Reuse.UNKNOWN);
        }
      }
      CacheStats before = cache.stats();
      assertThat(cache.put(owner, 1, 0, new byte[length], Reuse.UNKNOWN))
          .isEqualTo(PutResult.STORED);

      long gone = before.blocks() + 1 - cache.stats().blocks();
      assertThat(gone).isLessThan(before.blocks() / 5);
    }
  }

  @Test
  void smallDonationToALargeCache_isUsed() {
    try (HotCache cache = new HotCache(new CacheSettings(1L << 30, PolicyName.LRU))) {
      CacheOwner owner = cache.attach("a", 15L * MIB);
      int stored = 0;
      for (int id = 0; id < 1000; id++) {
        if (cache.put(owner, 0, id, new byte[1000], Reuse.UNKNOWN) == PutResult.STORED) {
          stored++;
        }
      }

      assertThat(stored).isGreaterThan(900);
      assertThat(cache.stats().regionBytes()).isLessThanOrEqualTo(15L * MIB);
    }
  }
}
