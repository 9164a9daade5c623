package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** A hit with a weight counts as that many hits. */
class WeightedHitsPropertyTest {
  private static final int CAPACITY = 8;

  private static long hash(String key) {
    return FakeCache.hashOf(key);
  }

  /** The adaptive policy apart: a ghost that does not hold the block misses once, not each time. */
  @Property(tries = 500)
  void weightedHit_decidesLikeSoManyHits(
      @ForAll PolicyName name,
      @ForAll @Size(max = 200) List<@IntRange(min = 0, max = 20) Integer> references,
      @ForAll @IntRange(min = 1, max = 16) int weight) {
    PolicyName tried = name == PolicyName.ADAPTIVE ? PolicyName.W_TINY_LFU : name;
    FakeCache once = new FakeCache(CAPACITY, tried::create);
    FakeCache often = new FakeCache(CAPACITY, tried::create);
    for (int reference : references) {
      String key = Integer.toString(reference);
      if (once.residents().containsKey(key)) {
        once.policy.hit(once.slotOf(key), weight);
        for (int i = 0; i < weight; i++) {
          often.policy.hit(often.slotOf(key));
        }
      } else {
        once.reference(key);
        often.reference(key);
      }
      assertThat(once.victims).isEqualTo(often.victims);
    }
  }

  @Test
  void frequency_isWhatAWeightedHitSays() {
    for (int weight : new int[] {4, 5}) {
      FakeCache cache = new FakeCache(2, residents -> new WindowTinyLfuPolicy(residents, 0.5));
      cache.reference("a", "b");
      for (int i = 0; i < 4; i++) {
        cache.reference("a");
      }
      // There were 5 references to "a" in the main part, and one with its weight to "b" in the
      // window.
      cache.policy.hit(cache.slotOf("b"), weight);
      assertThat(cache.policy.victim()).isEqualTo(cache.slotOf(weight == 5 ? "a" : "b"));
    }
  }

  @Test
  void league_countsWeights_towardsTheElectionAndTheLead() {
    PolicyTournament league = new PolicyTournament(PolicyTournament.Budget.DEFAULT);
    league.capacity(100);
    league.start();
    for (int round = 0; round < 3; round++) {
      for (int key = 0; key < 100; key++) {
        league.reference(hash("old" + key), Reuse.UNKNOWN, 1);
      }
    }
    league.reference(hash("x"), Reuse.UNKNOWN, 1);
    league.reference(hash("y"), Reuse.UNKNOWN, 1);
    league.elect(candidate -> 0);
    assertThat(league.leader()).isEqualTo(PolicyName.W_TINY_LFU);
    // Seen once, it did not get beyond the window there.
    assertThat(league.leadingGhost().contains(hash("x"))).isFalse();

    assertThat(league.reference(hash("old50"), Reuse.UNKNOWN, 63)).isFalse();
    assertThat(league.reference(hash("old50"), Reuse.UNKNOWN, 1)).isTrue();
    league.elect(candidate -> 0);
    assertThat(league.leader()).isEqualTo(PolicyName.W_TINY_LFU);
    assertThat(league.reference(hash("x"), Reuse.UNKNOWN, 64)).isTrue();
    assertThat(league.elect(candidate -> 0)).isTrue();
    assertThat(league.leader()).isNotEqualTo(PolicyName.W_TINY_LFU);
  }

  /** If all references weigh the same, the curve is that of one each. */
  @Property(tries = 100)
  void reuseDistances_countWeights(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 16) int weight) {
    ReuseDistances.Shape shape = new ReuseDistances.Shape(32, 1, 300, 1);
    ReuseDistances plain = new ReuseDistances(shape);
    ReuseDistances weighted = new ReuseDistances(shape);
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < 1000; step++) {
      int key = random.nextInt(1 + step / 10);
      int bytes = random.nextInt(1, 12);
      plain.referenced(hash("k" + key), 0, bytes, 1);
      weighted.referenced(hash("k" + key), 0, bytes, weight);
    }
    double[] ofPlain = new double[shape.buckets()];
    double[] ofWeighted = new double[shape.buckets()];
    assertThat(plain.addTo(0, ofPlain)).isEqualTo(1000);
    assertThat(weighted.addTo(0, ofWeighted)).isEqualTo(1000.0 * weight);
    for (int i = 0; i < ofPlain.length; i++) {
      assertThat(ofWeighted[i]).isCloseTo(weight * ofPlain[i], within(1e-6));
    }
  }
}
