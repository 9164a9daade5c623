package io.idlalayer.benchmarks.placement.autovm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.placement.autovm.PrefetchOrder.Prefetch;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrefetchOrderTest {
  private static final Prefetch FOURTH = new Prefetch(4, 3, 4);
  private static final Prefetch FIFTH = new Prefetch(5, 2, 5);

  @Test
  void repaired_laterConsumerStartsFirst_bothStartThere() {
    assertThat(PrefetchOrder.repaired(List.of(FIFTH, FOURTH), (prefetch, at) -> true))
        .containsExactly(new Prefetch(4, 2, 4), new Prefetch(5, 2, 5));
  }

  @Test
  void repaired_noSpace_theLaterOneIsDelayed() {
    assertThat(PrefetchOrder.repaired(List.of(FIFTH, FOURTH), (prefetch, at) -> false))
        .containsExactly(FOURTH, new Prefetch(5, 3, 5));
  }

  @Test
  void repaired_inOrder_staysAsItIs() {
    List<Prefetch> inOrder = List.of(new Prefetch(4, 1, 4), FIFTH);
    assertThat(PrefetchOrder.repaired(inOrder, (prefetch, at) -> false)).isEqualTo(inOrder);
  }
}
