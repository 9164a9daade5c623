package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.cache.HotCache.PutResult;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The edges of the acceptance tests, under every policy. */
class HotCacheEdgesTest {
  private static final int KIB = 1024;

  private static HotCache cache(PolicyName policy, long ceiling) {
    return new HotCache(new CacheSettings(ceiling, policy));
  }

  private static byte[] bytes(int length, long fill) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) fill);
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void capacityOfNothing_refusesAll_alsoEmptyPayloads(PolicyName policy) {
    try (HotCache cache = cache(policy, 0)) {
      CacheOwner owner = cache.attach("a", 0);
      cache.measure();
      for (int id = 0; id < 100; id++) {
        assertThat(cache.put(owner, 0, id, new byte[0], Reuse.NEAR))
            .isEqualTo(PutResult.REFUSED_SIZE);
        assertThat(cache.get(owner, 0, id)).isNull();
        assertThat(cache.invalidate(0, id)).isFalse();
      }
      cache.resize(owner, 0);
      assertThat(cache.stats().regionBytes()).isZero();
      assertThat(cache.hitCurve().hitRatio(1e12)).isZero();
    }
  }

  /** The least donation that is used holds eight of the largest blocks; here, one at a time. */
  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void oneBlockAtATime_theNewestStays(PolicyName policy) {
    try (HotCache cache = cache(policy, 4 * KIB)) {
      CacheOwner owner = cache.attach("a", 4 * KIB);
      for (int id = 0; id < 50; id++) {
        cache.drop(0);
        cache.put(owner, 0, id, bytes(504, id), Reuse.UNKNOWN);
        assertThat(cache.get(owner, 0, id)).isEqualTo(bytes(504, id));
        assertThat(cache.stats().blocks()).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void blockOfExactlyTheLimit_isTaken_oneByteMoreIsNot(PolicyName policy) {
    try (HotCache cache = cache(policy, 4 * KIB)) {
      CacheOwner owner = cache.attach("a", 4 * KIB);
      int limit = 512;
      while (cache.put(owner, 0, 0, new byte[limit], Reuse.NEAR) == PutResult.REFUSED_SIZE) {
        limit--;
      }
      assertThat(limit).isGreaterThan(500);
      for (int id = 1; id < 100; id++) {
        assertThat(cache.put(owner, 0, id, bytes(limit, id), Reuse.NEAR))
            .isEqualTo(PutResult.STORED);
        assertThat(cache.get(owner, 0, id)).isEqualTo(bytes(limit, id));
      }
      assertThat(cache.put(owner, 0, 100, new byte[limit + 1], Reuse.NEAR))
          .isEqualTo(PutResult.REFUSED_SIZE);
      assertThat(cache.stats().regionBytes()).isEqualTo(4 * KIB);
    }
  }

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void emptyBlocks_areBlocks(PolicyName policy) {
    try (HotCache cache = cache(policy, 64 * KIB)) {
      CacheOwner owner = cache.attach("a", 64 * KIB);
      cache.measure();
      for (int id = 0; id < 20_000; id++) {
        assertThat(cache.put(owner, 0, id, new byte[0], Reuse.UNKNOWN)).isEqualTo(PutResult.STORED);
        assertThat(cache.get(owner, 0, id)).isEmpty();
      }
      assertThat(cache.stats().payloadBytes()).isZero();
      assertThat(cache.stats().blocks()).isPositive().isLessThanOrEqualTo(64 * KIB / 16);
    }
  }

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void duplicatePut_replaces_inOtherLengthsAndByOtherOwners(PolicyName policy) {
    try (HotCache cache = cache(policy, 64 * KIB)) {
      CacheOwner a = cache.attach("a", 32 * KIB);
      CacheOwner b = cache.attach("b", 32 * KIB);
      assertThat(cache.put(a, 0, 1, bytes(10, 0), Reuse.UNKNOWN)).isEqualTo(PutResult.STORED);
      for (int i = 1; i < 1000; i++) {
        CacheOwner who = i % 2 == 0 ? a : b;
        assertThat(cache.put(who, 0, 1, bytes(i * 7 % 900, i), Reuse.UNKNOWN))
            .isEqualTo(PutResult.REPLACED);
        assertThat(cache.get(a, 0, 1)).isEqualTo(bytes(i * 7 % 900, i));
      }
      CacheStats stats = cache.stats();
      assertThat(stats.blocks()).isEqualTo(1);
      assertThat(stats.evictions()).isZero();
      assertThat(stats.payloadBytes()).isEqualTo(999 * 7 % 900);
      // The block is now of the last who put it.
      cache.detach(b);
      assertThat(cache.stats().blocks()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void resizeToNothing_andBack_keepsWorking(PolicyName policy) {
    try (HotCache cache = cache(policy, 256 * KIB)) {
      CacheOwner owner = cache.attach("a", 256 * KIB);
      cache.measure();
      for (int round = 0; round < 20; round++) {
        for (int id = 0; id < 500; id++) {
          cache.put(owner, 0, id, bytes(700, id), Reuse.UNKNOWN);
        }
        assertThat(cache.get(owner, 0, 499)).isEqualTo(bytes(700, 499));
        cache.resize(owner, 0);
        assertThat(cache.stats().blocks()).isZero();
        assertThat(cache.stats().regionBytes()).isZero();
        assertThat(cache.get(owner, 0, 499)).isNull();
        cache.resize(owner, 256 * KIB);
      }
    }
  }

  @Test
  void resizeUpTo_stopsAtTheCeiling() {
    try (HotCache cache = cache(PolicyName.LRU, 256 * KIB)) {
      CacheOwner a = cache.attach("a", 100 * KIB);
      CacheOwner b = cache.attach("b", 100 * KIB);
      cache.resizeUpTo(a, 1 << 30);
      assertThat(a.donatedBytes()).isEqualTo(156 * KIB);
      cache.resizeUpTo(b, 50 * KIB);
      assertThat(b.donatedBytes()).isEqualTo(50 * KIB);
      assertThat(cache.ceilingBytes()).isEqualTo(256 * KIB);
      cache.detach(b);
      assertThatThrownBy(() -> cache.resizeUpTo(b, 0))
          .hasMessage("b is not attached to this cache");
    }
  }

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void detach_whileOthersReadTheBlocks_isSeenAsMissesOnly(PolicyName policy) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(3);
    AtomicBoolean over = new AtomicBoolean();
    try (HotCache cache = cache(policy, 1 << 20)) {
      CacheOwner reader = cache.attach("reader", 0);
      cache.measure();
      List<Future<Long>> reading = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        reading.add(
            pool.submit(
                () -> {
                  byte[] into = new byte[1000];
                  long found = 0;
                  for (long step = 0; !over.get(); step++) {
                    long id = step % 500;
                    if (cache.get(reader, 0, id, into) >= 0) {
                      assertThat(into).startsWith((byte) id).endsWith((byte) id);
                      found++;
                    }
                  }
                  return found;
                }));
      }
      for (int round = 0; round < 40; round++) {
        CacheOwner donor = cache.attach("donor", 1 << 20);
        for (int id = 0; id < 500; id++) {
          cache.put(donor, 0, id, bytes(1000, id), Reuse.UNKNOWN);
        }
        cache.detach(donor);
        assertThat(cache.stats().blocks()).isZero();
        assertThat(cache.stats().regionBytes()).isZero();
      }
      over.set(true);
      for (Future<Long> each : reading) {
        assertThat(each.get(2, TimeUnit.MINUTES)).isNotNegative();
      }
    } finally {
      over.set(true);
      pool.shutdownNow();
    }
  }
}
