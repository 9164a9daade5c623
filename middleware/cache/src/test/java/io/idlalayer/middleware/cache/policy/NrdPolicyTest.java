package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.cache.policy.NrdPolicy.Variant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NrdPolicyTest {
  private static final String[] FIGURE = "a1 a2 a2 a1 b1 b2 g1 g2 a1 a2".split(" ");

  private static FakeCache nrd(Variant variant) {
    return new FakeCache(4, residents -> new NrdPolicy(variant));
  }

  private static Map<String, Integer> distances(FakeCache cache) {
    Map<String, Integer> distances = new HashMap<>();
    cache
        .residents()
        .forEach((key, slot) -> distances.put(key, ((NrdPolicy) cache.policy).distance(slot)));
    return distances;
  }

  @Test
  void figure_everyVariant_hitsFourTimesWhereLruHitsTwice() {
    FakeCache paper = nrd(Variant.paper(2)).reference(FIGURE);
    FakeCache srrip = nrd(Variant.srrip(2)).reference(FIGURE);
    FakeCache hand = nrd(Variant.hand(2)).reference(FIGURE);
    FakeCache lru = new FakeCache(4, residents -> new LruPolicy()).reference(FIGURE);

    assertThat(paper.hits).isEqualTo(4);
    assertThat(paper.victims).containsExactly("b1", "g1");
    assertThat(distances(paper)).isEqualTo(Map.of("a1", 0, "a2", 0, "g2", 3, "b2", 3));
    assertThat(srrip.hits).isEqualTo(4);
    assertThat(srrip.victims).containsExactly("b1", "b2");
    assertThat(distances(srrip)).isEqualTo(Map.of("a1", 0, "a2", 0, "g1", 2, "g2", 2));
    assertThat(hand.hits).isEqualTo(4);
    assertThat(hand.victims).containsExactly("b1", "b2");
    assertThat(distances(hand)).isEqualTo(Map.of("a1", 0, "a2", 0, "g1", 3, "g2", 3));
    assertThat(lru.hits).isEqualTo(2);
  }

  @Test
  void figure_afterTheFirstEviction_allOthersAreOlder() {
    FakeCache srrip = nrd(Variant.srrip(2)).reference("a1 a2 a2 a1 b1 b2 g1".split(" "));

    assertThat(distances(srrip)).isEqualTo(Map.of("a1", 1, "a2", 1, "g1", 2, "b2", 3));
  }

  @Test
  void figure_hitsThatDecrement_leaveTheHotBlocksAtOne() {
    FakeCache cache = nrd(new Variant(2, 3, false, true)).reference(FIGURE);

    assertThat(distances(cache)).containsEntry("a1", 1).containsEntry("a2", 1);
  }

  @Test
  void phaseChange_fixedSearch_recyclesOneSlotForEver() {
    String[] sequence = "a b c d a b c d e f e f e f e f e f".split(" ");
    FakeCache paper = nrd(Variant.paper(2)).reference(sequence);

    assertThat(paper.hits).isEqualTo(4);
    assertThat(paper.victims).containsExactly("a e f e f e f e f e".split(" "));
    assertThat(nrd(Variant.srrip(2)).reference(sequence).hits).isEqualTo(12);
    assertThat(nrd(Variant.hand(2)).reference(sequence).hits).isEqualTo(12);
    assertThat(new FakeCache(4, residents -> new LruPolicy()).reference(sequence).hits)
        .isEqualTo(12);
  }

  @Test
  void loopThatDoesNotFit_onlyThePaperKeepsSome() {
    String[] loop = "a b c d e a b c d e a b c d e a b c d e".split(" ");

    assertThat(nrd(Variant.paper(2)).reference(loop).hits).isEqualTo(9);
    assertThat(nrd(Variant.srrip(2)).reference(loop).hits).isZero();
    assertThat(nrd(Variant.hand(2)).reference(loop).hits).isZero();
    assertThat(new FakeCache(4, residents -> new LruPolicy()).reference(loop).hits).isZero();
  }

  @Test
  void hint_whatIsExpectedSoon_outlivesTheOthers() {
    FakeCache cache = nrd(Variant.srrip(2));
    cache.reference("soon", Reuse.NEAR);
    cache.reference("other", Reuse.UNKNOWN);
    cache.reference("x", "y", "z");

    assertThat(cache.victims).containsExactly("other");
    assertThat(cache.residents()).containsKey("soon");
  }

  @Test
  void bits_oneToEight() {
    assertThat(nrd(Variant.srrip(1)).reference(FIGURE).references).isEqualTo(10);
    assertThat(nrd(Variant.paper(8)).reference(FIGURE).hits).isEqualTo(4);
    assertThatThrownBy(() -> Variant.paper(0)).hasMessageContaining("1 to 8 bits, not 0");
    assertThatThrownBy(() -> Variant.paper(9)).hasMessageContaining("1 to 8 bits, not 9");
    assertThatThrownBy(() -> new Variant(2, 4, false, false)).hasMessageContaining("0 to 3, not 4");
  }
}
