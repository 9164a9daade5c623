package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.cache.policy.NrdPolicy.Variant;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Worked examples of eviction (specs, iMlayer 2.5), reference by reference. */
class PolicyVectorTest {
  private static String pattern(FakeCache.Maker policy, String sequence) {
    FakeCache cache = new FakeCache(4, policy);
    StringBuilder pattern = new StringBuilder();
    for (String key : sequence.split(" ")) {
      int before = cache.hits;
      cache.reference(key);
      pattern.append(cache.hits > before ? 'H' : 'M');
    }
    return pattern.toString();
  }

  @Test
  void vectorT1_figure45_hitsAndMissesInOrder() {
    String figure = "a1 a2 a2 a1 b1 b2 g1 g2 a1 a2";

    assertThat(pattern(residents -> new LruPolicy(), figure)).isEqualTo("MMHHMMMMMM");
    for (Variant variant :
        List.of(
            Variant.paper(2), Variant.srrip(2), Variant.hand(2), new Variant(2, 3, false, true))) {
      assertThat(pattern(residents -> new NrdPolicy(variant), figure))
          .as(variant.toString())
          .isEqualTo("MMHHMMMMHH");
    }
  }

  @Test
  void vectorT2_phaseChange_thePaperMissesForEver() {
    String sequence = "a b c d a b c d e f e f e f e f e f";

    assertThat(pattern(residents -> new NrdPolicy(Variant.paper(2)), sequence))
        .isEqualTo("MMMMHHHHMMMMMMMMMM");
    for (PolicyName name : List.of(PolicyName.LRU, PolicyName.SRRIP, PolicyName.HAND)) {
      assertThat(pattern(name::create, sequence)).as(name.key()).isEqualTo("MMMMHHHHMMHHHHHHHH");
    }
  }

  /** A ghost answers what the policy would have done with blocks in place of keys. */
  @Property(tries = 400)
  void vectorT6_aGhostHoldsWhatTheCacheWould(
      @ForAll PolicyName name,
      @ForAll @IntRange(min = 1, max = 40) int capacity,
      @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 60) Integer> references) {
    FakeCache cache = new FakeCache(capacity, name::create);
    GhostCache ghost = new GhostCache(name, capacity);
    for (int reference : references) {
      String key = "x" + reference;
      int before = cache.hits;
      cache.reference(key);
      assertThat(ghost.reference(FakeCache.hashOf(key))).isEqualTo(cache.hits > before);
    }
    assertThat(ghost.size()).isEqualTo(cache.residents().size());
    assertThat(cache.residents().keySet()).allMatch(key -> ghost.contains(FakeCache.hashOf(key)));
  }
}
