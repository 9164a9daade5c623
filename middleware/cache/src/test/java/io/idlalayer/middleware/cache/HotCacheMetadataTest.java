package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the cache keeps on the heap is bounded by what it can hold, whatever is done to it. */
class HotCacheMetadataTest {
  private static final int MIB = 1 << 20;

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void putAndInvalidate_forever_doesNotGrowTheMetadata(PolicyName policy) {
    try (HotCache cache = new HotCache(new CacheSettings(MIB, policy))) {
      CacheOwner owner = cache.attach("a", MIB);
      byte[] payload = new byte[1000];
      long id = 0;
      for (; id < 5_000; id++) {
        cache.put(owner, 0, id, payload, Reuse.UNKNOWN);
        cache.invalidate(0, id);
      }
      long early = cache.stats().metadataBytes();
      for (; id < 100_000; id++) {
        cache.put(owner, 0, id, payload, Reuse.UNKNOWN);
        cache.invalidate(0, id);
      }

      assertThat(cache.stats().metadataBytes()).isLessThanOrEqualTo(2 * early);
    }
  }

  @ParameterizedTest
  @EnumSource(PolicyName.class)
  void oneTinyBlockPerSegment_doesNotReserveMetadataForMillions(PolicyName policy) {
    try (HotCache cache = new HotCache(new CacheSettings(128L * MIB, policy))) {
      CacheOwner owner = cache.attach("a", 128L * MIB);
      for (int id = 0; id < 200; id++) {
        cache.put(owner, 0, id, new byte[1], Reuse.UNKNOWN);
      }

      assertThat(cache.stats().metadataBytes()).isLessThan(8L * MIB);
    }
  }
}
