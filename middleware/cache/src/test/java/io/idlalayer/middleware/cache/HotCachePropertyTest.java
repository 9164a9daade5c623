package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.HotCache.PutResult;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class HotCachePropertyTest {
  /** Whatever is done to it, the cache answers with the last payload put, or not at all. */
  @Property(tries = 150)
  void answers_areTheLastPayloadOrAMiss(
      @ForAll PolicyName policy,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int spaces,
      @ForAll @IntRange(min = 1, max = 600) int longest) {
    SplittableRandom random = new SplittableRandom(seed);
    try (HotCache cache = new HotCache(new CacheSettings(128 * 1024, policy))) {
      CacheOwner[] owners = {cache.attach("a", 64 * 1024), cache.attach("b", 64 * 1024)};
      Map<Long, byte[]> model = new HashMap<>();
      for (int step = 0; step < 1500; step++) {
        int space = random.nextInt(spaces);
        long id = random.nextInt(400);
        long key = (long) space << 32 | id;
        CacheOwner owner = owners[random.nextInt(2)];
        switch (random.nextInt(20)) {
          case 0 -> {
            cache.invalidate(space, id);
            model.remove(key);
          }
          case 1 -> cache.resize(owner, random.nextInt(64) * 1024L);
          case 2, 3, 4, 5, 6, 7, 8, 9 -> {
            byte[] payload = new byte[random.nextInt(longest)];
            random.nextBytes(payload);
            Reuse reuse = random.nextBoolean() ? Reuse.NEAR : Reuse.UNKNOWN;
            if (cache.put(owner, space, id, payload, reuse) == PutResult.REFUSED_SIZE) {
              model.remove(key);
            } else {
              model.put(key, payload);
              assertThat(cache.get(owner, space, id)).isEqualTo(payload);
            }
          }
          default -> {
            byte[] found = cache.get(owner, space, id);
            if (found != null) {
              assertThat(found).isEqualTo(model.get(key));
            }
          }
        }
        CacheStats stats = cache.stats();
        assertThat(stats.regionBytes()).isLessThanOrEqualTo(stats.limitBytes());
        assertThat(stats.payloadBytes()).isLessThanOrEqualTo(stats.regionBytes());
      }
    }
  }
}
