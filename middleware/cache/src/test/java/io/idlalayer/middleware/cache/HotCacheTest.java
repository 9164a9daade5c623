package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.idlalayer.middleware.cache.HotCache.PutResult;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HotCacheTest {
  private static final int KIB = 1024;

  private static byte[] bytes(int length, int fill) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) fill);
    return bytes;
  }

  private static HotCache cache(long ceiling) {
    return new HotCache(new CacheSettings(ceiling, PolicyName.LRU));
  }

  @Test
  void put_thenGet_copies() {
    try (HotCache cache = cache(1 << 20)) {
      CacheOwner owner = cache.attach("a", 1 << 20);
      int space = cache.newSpace();
      byte[] payload = bytes(100, 7);

      assertThat(cache.put(owner, space, 1, payload, Reuse.UNKNOWN)).isEqualTo(PutResult.STORED);
      payload[0] = 9;
      assertThat(cache.get(owner, space, 1)).isEqualTo(bytes(100, 7));
      assertThat(cache.put(owner, space, 1, payload, Reuse.UNKNOWN)).isEqualTo(PutResult.REPLACED);
      byte[] into = new byte[120];
      assertThat(cache.get(owner, space, 1, into)).isEqualTo(100);
      assertThat(Arrays.copyOf(into, 100)).isEqualTo(payload);
      assertThat(cache.get(owner, space, 1, new byte[99])).isEqualTo(100);
      assertThat(cache.get(owner, space, 2)).isNull();
      assertThat(cache.get(owner, space, 2, into)).isEqualTo(-1);
      assertThat(cache.get(owner, cache.newSpace(), 1)).isNull();
      assertThat(owner.usage().hits()).isEqualTo(3);
      assertThat(owner.usage().misses()).isEqualTo(3);
      assertThat(owner.usage().hitRatio()).isEqualTo(0.5);
    }
  }

  @Test
  void miss_afterALargeRead_allocatesLittle() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (HotCache cache = cache(64L << 20)) {
      CacheOwner owner = cache.attach("a", 64L << 20);
      int length = 200 * KIB;
      for (int id = 0; id < 64; id++) {
        cache.put(owner, 0, id, bytes(length, id), Reuse.UNKNOWN);
        assertThat(cache.get(owner, 0, id)).isEqualTo(bytes(length, id));
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int id = 1000; id < 1100; id++) {
        if (cache.get(owner, 0, id) != null) {
          throw new AssertionError("nobody put " + id);
        }
      }
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100 * 8 * KIB);
    }
  }

  @Test
  void emptyPayload_isABlock() {
    try (HotCache cache = cache(1 << 20)) {
      CacheOwner owner = cache.attach("a", 1 << 20);
      cache.put(owner, 0, 1, new byte[0], Reuse.NEAR);

      assertThat(cache.get(owner, 0, 1)).isEmpty();
      assertThat(cache.invalidate(0, 1)).isTrue();
      assertThat(cache.invalidate(0, 1)).isFalse();
      assertThat(cache.get(owner, 0, 1)).isNull();
    }
  }

  @Test
  void withoutDonations_nothingIsKept() {
    try (HotCache cache = cache(1 << 20);
        HotCache none = cache(0)) {
      CacheOwner owner = cache.attach("guest", 0);
      assertThat(cache.put(owner, 0, 1, bytes(10, 1), Reuse.NEAR))
          .isEqualTo(PutResult.REFUSED_SIZE);
      assertThat(cache.get(owner, 0, 1)).isNull();
      assertThat(owner.usage().refusals()).isEqualTo(1);
      assertThat(none.put(none.attach("x", 0), 0, 1, bytes(1, 1), Reuse.NEAR))
          .isEqualTo(PutResult.REFUSED_SIZE);
    }
  }

  @Test
  void largeBlocks_upToAnEighthAreTaken() {
    try (HotCache cache = cache(64 * KIB)) {
      CacheOwner owner = cache.attach("a", 64 * KIB);
      int largest = 4 * KIB - 8;

      assertThat(cache.put(owner, 0, 1, bytes(largest, 1), Reuse.UNKNOWN))
          .isEqualTo(PutResult.STORED);
      assertThat(cache.put(owner, 0, 2, bytes(largest + 1, 1), Reuse.UNKNOWN))
          .isEqualTo(PutResult.REFUSED_SIZE);
      // A payload that is refused must not leave an older one behind.
      assertThat(cache.put(owner, 0, 1, bytes(9 * KIB, 1), Reuse.UNKNOWN))
          .isEqualTo(PutResult.REFUSED_SIZE);
      assertThat(cache.get(owner, 0, 1)).isNull();
    }
  }

  @Test
  void budget_isHard() {
    try (HotCache cache = cache(256 * KIB)) {
      CacheOwner owner = cache.attach("a", 256 * KIB);
      for (int i = 0; i < 5000; i++) {
        cache.put(owner, 0, i, bytes(i * 37 % 1500, i), Reuse.UNKNOWN);
        assertThat(cache.stats().regionBytes()).isLessThanOrEqualTo(256 * KIB);
      }
      CacheStats stats = cache.stats();
      assertThat(stats.payloadBytes()).isGreaterThan(220 * KIB);
      assertThat(stats.evictions()).isPositive();
      assertThat(cache.get(owner, 0, 4999)).isEqualTo(bytes(4999 * 37 % 1500, 4999));
      assertThat(cache.get(owner, 0, 0)).isNull();
    }
  }

  @Test
  void donations_growShrinkAndHaveACeiling() {
    try (HotCache cache = cache(256 * KIB)) {
      CacheOwner a = cache.attach("a", 128 * KIB);
      CacheOwner b = cache.attach("b", 64 * KIB);
      assertThatThrownBy(() -> cache.attach("c", 128 * KIB))
          .hasMessage(
              "c cannot donate 131,072 bytes: the others have donated 196,608, and the ceiling for all is 262,144");
      assertThatThrownBy(() -> cache.resize(b, 256 * KIB)).hasMessageContaining("ceiling");
      for (int i = 0; i < 400; i++) {
        cache.put(i % 2 == 0 ? a : b, 0, i, bytes(1000, i), Reuse.UNKNOWN);
      }
      assertThat(cache.stats().regionBytes()).isEqualTo(192 * KIB);

      cache.resize(a, 0);
      assertThat(cache.stats().regionBytes()).isLessThanOrEqualTo(64 * KIB);
      assertThat(cache.stats().blocks()).isPositive();
      cache.resize(b, 0);
      assertThat(cache.stats().regionBytes()).isZero();
      assertThat(cache.stats().blocks()).isZero();
      cache.resize(b, 128 * KIB);
      assertThat(cache.put(a, 0, 1, bytes(1000, 1), Reuse.UNKNOWN)).isEqualTo(PutResult.STORED);
      assertThat(cache.stats().blocks()).isEqualTo(1);
    }
  }

  @Test
  void detach_takesTheOwnersBlocksAndDonation_butNotItsHits() {
    try (HotCache cache = cache(256 * KIB)) {
      CacheOwner a = cache.attach("a", 128 * KIB);
      CacheOwner b = cache.attach("b", 128 * KIB);
      cache.put(a, 0, 1, bytes(10, 1), Reuse.UNKNOWN);
      cache.get(a, 0, 1);
      cache.get(b, 0, 1);

      assertThat(a.usage().hits()).isEqualTo(1);
      assertThat(b.usage().hits()).isEqualTo(1);

      cache.detach(a);
      assertThat(cache.get(b, 0, 1)).isNull();
      assertThat(cache.limitBytes()).isEqualTo(128 * KIB);
      assertThat(cache.stats().owners()).extracting(CacheStats.Usage::name).containsExactly("b");
    }
  }

  @Test
  void spaces_areDroppedWhole() {
    try (HotCache cache = cache(1 << 20)) {
      CacheOwner owner = cache.attach("a", 1 << 20);
      int mine = cache.newSpace();
      int other = cache.newSpace();
      for (int i = 0; i < 100; i++) {
        cache.put(owner, mine, i, bytes(10, 1), Reuse.UNKNOWN);
        cache.put(owner, other, i, bytes(10, 2), Reuse.UNKNOWN);
      }
      cache.drop(mine);

      assertThat(cache.get(owner, mine, 5)).isNull();
      assertThat(cache.get(owner, other, 5)).isEqualTo(bytes(10, 2));
      assertThat(cache.stats().blocks()).isEqualTo(100);
    }
  }

  @Test
  void closed_everythingMissesAndNobodyAttaches() {
    HotCache cache = cache(1 << 20);
    CacheOwner owner = cache.attach("a", 1 << 20);
    cache.put(owner, 0, 1, bytes(10, 1), Reuse.NEAR);
    cache.close();

    assertThat(cache.get(owner, 0, 1)).isNull();
    assertThat(cache.put(owner, 0, 1, bytes(10, 1), Reuse.NEAR)).isEqualTo(PutResult.REFUSED_SIZE);
    assertThat(cache.stats().regionBytes()).isZero();
    assertThatThrownBy(() -> cache.attach("b", 0)).hasMessageContaining("closed");
  }
}
