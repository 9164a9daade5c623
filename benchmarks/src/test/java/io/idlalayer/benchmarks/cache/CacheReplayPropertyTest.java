package io.idlalayer.benchmarks.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.cache.policy.PolicyName;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class CacheReplayPropertyTest {
  private static CacheTrace trace(List<Integer> references) {
    return CacheTrace.of(references.stream().mapToLong(Integer::longValue).toArray());
  }

  /** Least recently used, by the book. */
  private static double lru(long[] keys, int capacity) {
    LinkedHashSet<Long> resident = new LinkedHashSet<>();
    int hits = 0;
    for (long key : keys) {
      if (resident.remove(key)) {
        hits++;
      } else if (resident.size() == capacity) {
        resident.remove(resident.iterator().next());
      }
      resident.add(key);
    }
    return (double) hits / keys.length;
  }

  @Property(tries = 30)
  void own_lru_equalsTheTextbook(
      @ForAll @IntRange(min = 1, max = 20) int capacity,
      @ForAll @Size(min = 1, max = 200) List<@IntRange(min = -30, max = 30) Integer> references) {
    CacheTrace trace = trace(references);
    CacheReplay.Outcome outcome = CacheReplay.own(PolicyName.LRU, trace, capacity, 1);

    assertThat(outcome.hitRatio()).isCloseTo(lru(trace.keys(), capacity), within(1e-12));
    assertThat(outcome.policy()).isEqualTo("lru");
    assertThat(outcome.nanosPerAccess()).isPositive();
    assertThat(outcome.bytesPerEntry()).isPositive();
  }

  @Property(tries = 6)
  void own_largeCache_missesEveryKeyOnce(
      @ForAll PolicyName name,
      @ForAll @Size(min = 1, max = 200) List<@IntRange(min = 0, max = 30) Integer> references) {
    CacheTrace trace = trace(references);
    double expected = 1 - (double) trace.distinct() / trace.keys().length;

    assertThat(CacheReplay.own(name, trace, 31, 1).hitRatio()).isCloseTo(expected, within(1e-12));
    assertThat(CacheReplay.belady(trace, 31).hitRatio()).isCloseTo(expected, within(1e-12));
    assertThat(CacheReplay.caffeine(trace, 31, 1).hitRatio()).isCloseTo(expected, within(1e-12));
  }

  @Test
  void own_everyPolicy_staysBelowTheOptimumAndIsRepeatable() {
    SplittableRandom random = new SplittableRandom(5);
    long[] keys = random.longs(20_000, 0, 1000).map(key -> key * key / 1000).toArray();
    CacheTrace trace = CacheTrace.of(keys);
    CacheReplay.Outcome optimum = CacheReplay.belady(trace, 100);

    assertThat(optimum.nanosPerAccess()).isEqualTo(CacheReplay.UNKNOWN);
    assertThat(optimum.bytesPerEntry()).isEqualTo(CacheReplay.UNKNOWN);
    assertThat(CacheReplay.caffeine(trace, 100, 1).hitRatio()).isLessThan(optimum.hitRatio());
    for (PolicyName name : PolicyName.values()) {
      CacheReplay.Outcome once = CacheReplay.own(name, trace, 100, 1);
      assertThat(once.hitRatio()).isPositive().isLessThan(optimum.hitRatio());
      assertThat(CacheReplay.own(name, trace, 100, 3).hitRatio()).isEqualTo(once.hitRatio());
    }
  }
}
