package io.idlalayer.middleware.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.capacity.LinkEngine.Flow;
import io.idlalayer.middleware.capacity.SystemSpec.Lane;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LinkEngineTest {
  private static final List<Lane> TWO = List.of(new Lane("a", 10), new Lane("b", 4));

  @Test
  void run_twoEqualFlowsOnOneLink_takeTwiceTheTime() {
    LinkEngine alone = new LinkEngine(TWO);
    alone.add(0, List.of(new Flow(20, List.of(0))), List.of());
    assertThat(alone.run().seconds()).isEqualTo(2);
    LinkEngine both = new LinkEngine(TWO);
    both.add(0, List.of(new Flow(20, List.of(0))), List.of());
    both.add(0, List.of(new Flow(20, List.of(0))), List.of());
    LinkEngine.Outcome outcome = both.run();
    assertThat(outcome.ends()).containsExactly(4, 4);
    assertThat(outcome.laneBytes()[0]).isEqualTo(40);
  }

  /** Two flows over a, one of them over b too: b limits that one to 4, the other gets 6. */
  @Test
  void fairRates_flowLimitedElsewhere_leavesItsShareToOthers() {
    double[] rates = LinkEngine.fairRates(TWO, List.of(List.of(0), List.of(0, 1)));
    assertThat(rates).containsExactly(6, 4);
    double[] three = LinkEngine.fairRates(TWO, List.of(List.of(0), List.of(0, 1), List.of(0, 1)));
    assertThat(three).containsExactly(6, 2, 2);
  }

  /** The rate changes when another flow ends: 3 s at 5, then 1.5 s at 10. */
  @Test
  void run_flowAfterTheOtherEnded_getsTheWholeLink() {
    LinkEngine engine = new LinkEngine(TWO);
    engine.add(0, List.of(new Flow(15, List.of(0))), List.of());
    engine.add(0, List.of(new Flow(30, List.of(0))), List.of());
    LinkEngine.Outcome outcome = engine.run();
    assertThat(outcome.ends()[0]).isCloseTo(3, within(1e-12));
    assertThat(outcome.ends()[1]).isCloseTo(4.5, within(1e-12));
  }

  @Test
  void run_taskAfterOthers_beginsWhenTheLastOneEnds() {
    LinkEngine engine = new LinkEngine(TWO);
    int compute = engine.add(3, List.of(), List.of());
    int sent = engine.add(0.5, List.of(new Flow(20, List.of(0))), List.of());
    int last = engine.add(1, List.of(), List.of(compute, sent));
    LinkEngine.Outcome outcome = engine.run();
    assertThat(outcome.ends()[sent]).isEqualTo(2.5);
    assertThat(outcome.starts()[last]).isEqualTo(3);
    assertThat(outcome.seconds()).isEqualTo(4);
  }

  @Test
  void run_nothingToSend_takesNoTime() {
    LinkEngine engine = new LinkEngine(TWO);
    assertThat(engine.run().seconds()).isZero();
    int empty = engine.add(0, List.of(new Flow(0, List.of(0))), List.of());
    int next = engine.add(0, List.of(), List.of(empty));
    assertThat(engine.run().ends()[next]).isZero();
  }

  @Test
  void run_again_givesTheSameCourse() {
    LinkEngine engine = new LinkEngine(TWO);
    for (int i = 1; i < 50; i++) {
      engine.add(
          0.1 * i, List.of(new Flow(1.0 / i, List.of(0)), new Flow(i, List.of(1))), List.of());
      engine.add(0, List.of(new Flow(i / 3.0, List.of(0, 1))), List.of(2 * i - 2));
    }
    assertThat(engine.run().digest()).isEqualTo(engine.run().digest());
  }

  @Test
  void add_whatCannotBe_isRefused() {
    LinkEngine engine = new LinkEngine(TWO);
    assertThatThrownBy(() -> engine.add(Double.NaN, List.of(), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> engine.add(0, List.of(), List.of(0)))
        .hasMessageContaining("after [0]");
    assertThatThrownBy(() -> engine.add(0, List.of(new Flow(1, List.of(2))), List.of()))
        .hasMessageContaining("beyond 2");
    assertThatThrownBy(() -> new Flow(-1, List.of(0))).hasMessageContaining("-1");
    assertThatThrownBy(() -> new Lane("slow", -3)).hasMessageContaining("slow carries -3");
  }
}
