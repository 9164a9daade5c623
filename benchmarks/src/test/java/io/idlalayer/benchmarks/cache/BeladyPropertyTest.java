package io.idlalayer.benchmarks.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.policy.GhostCache;
import io.idlalayer.middleware.cache.policy.PolicyName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The clairvoyant optimum against every possible cache. */
class BeladyPropertyTest {
  private static long[] keys(String sequence) {
    return sequence.chars().filter(c -> c != ' ').asLongStream().toArray();
  }

  private static long[] keys(List<Integer> references) {
    return references.stream().mapToLong(Integer::longValue).toArray();
  }

  @Test
  void vectorsT1ToT3_whatTheOptimumHits() {
    // a1 a2 a2 a1 b1 b2 g1 g2 a1 a2
    assertThat(Belady.hits(keys("abbacdefab"), 4)).isEqualTo(4);
    assertThat(Belady.hits(keys("abcdabcd" + "ef".repeat(5)), 4)).isEqualTo(12);
    assertThat(Belady.hits(keys("abcde".repeat(4)), 4)).isEqualTo(12);
  }

  @Property(tries = 400)
  void hits_smallTrace_areThoseOfTheBestDecisions(
      @ForAll @IntRange(min = 1, max = 4) int capacity,
      @ForAll @Size(max = 14) List<@IntRange(min = 0, max = 5) Integer> references) {
    long[] keys = keys(references);
    assertThat(Belady.hits(keys, capacity)).isEqualTo(best(keys, 0, 0, capacity, new HashMap<>()));
  }

  /** Returns the most hits from a reference on, over all choices of evictions and admissions. */
  private static int best(
      long[] keys, int at, int resident, int capacity, Map<Integer, Integer> known) {
    if (at == keys.length) {
      return 0;
    }
    int state = at << 8 | resident;
    Integer before = known.get(state);
    if (before != null) {
      return before;
    }
    int key = 1 << keys[at];
    int hits;
    if ((resident & key) != 0) {
      hits = 1 + best(keys, at + 1, resident, capacity, known);
    } else {
      hits = best(keys, at + 1, resident, capacity, known);
      if (Integer.bitCount(resident) < capacity) {
        hits = Math.max(hits, best(keys, at + 1, resident | key, capacity, known));
      }
      for (int victim = resident; victim != 0; victim &= victim - 1) {
        int without = resident & ~Integer.lowestOneBit(victim);
        hits = Math.max(hits, best(keys, at + 1, without | key, capacity, known));
      }
    }
    known.put(state, hits);
    return hits;
  }

  @Property(tries = 200)
  void hits_everyPolicy_hitsNoMore(
      @ForAll PolicyName name,
      @ForAll @IntRange(min = 1, max = 30) int capacity,
      @ForAll @Size(max = 400) List<@IntRange(min = 0, max = 60) Integer> references) {
    long[] keys = keys(references);
    GhostCache cache = new GhostCache(name, capacity);
    long hits = 0;
    for (long key : keys) {
      hits += cache.reference(CacheReplay.mix(key)) ? 1 : 0;
    }
    assertThat(hits).isLessThanOrEqualTo(Belady.hits(keys, capacity));
  }
}
