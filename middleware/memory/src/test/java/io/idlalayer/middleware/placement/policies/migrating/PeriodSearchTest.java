package io.idlalayer.middleware.placement.policies.migrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.policies.migrating.PeriodSearch.Mode;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeriodSearchTest {
  private static final int LAYERS = 8;

  /** Most bytes of long-lived tensors that a period of some layers needs, in GB. */
  private static final List<Double> NEEDED = List.of(3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 10.0, 11.0);

  private static final double FAST = 10;
  private static final double BANDWIDTH = 4;

  /** Whether both constraints hold: everything fits, and copying takes no longer than computing. */
  private static IntPredicate feasible(double shortLived) {
    return layers -> {
      double needed = NEEDED.get(layers - 1);
      return needed <= FAST - shortLived && needed / BANDWIDTH <= 0.5 * layers;
    };
  }

  private static PeriodSearch run(Mode mode, IntPredicate feasible, IntToLongFunction nanos) {
    PeriodSearch search = new PeriodSearch(LAYERS, mode);
    for (int step = 0; step < 100 && !search.ended(); step++) {
      int layers = search.layers();
      search.ran(feasible.test(layers), nanos.applyAsLong(layers));
    }
    assertThat(search.ended()).isTrue();
    return search;
  }

  @Test
  void first_endsWithTheFirstThatMeetsTheConstraints() {
    PeriodSearch search = run(Mode.FIRST, feasible(4.5), layers -> 1);
    assertThat(search.tried()).containsExactly(4, 5, 3);
    assertThat(search.layers()).isEqualTo(3);
    assertThat(search.feasible()).isTrue();
  }

  @Test
  void fastest_triesOneRoundMoreAndKeepsTheFastest() {
    PeriodSearch search = run(Mode.FASTEST, feasible(4.5), layers -> layers == 3 ? 10_400 : 11_000);
    assertThat(search.tried()).containsExactly(4, 5, 3, 6, 2);
    assertThat(search.layers()).isEqualTo(3);
    assertThat(run(Mode.FASTEST, feasible(4.5), layers -> layers).layers()).isEqualTo(2);
  }

  @Test
  void fastest_measuresTheAnswerAgainInItsLastRound() {
    PeriodSearch search = new PeriodSearch(LAYERS, Mode.FASTEST);
    int steps = 0;
    while (!search.ended()) {
      int layers = search.layers();
      search.ran(feasible(4.5).test(layers), 10);
      steps++;
    }
    assertThat(steps).isEqualTo(6);
  }

  @ParameterizedTest
  @CsvSource({"FIRST", "FASTEST"})
  void nothingMeetsTheConstraints_isAPeriodOfOneLayer(Mode mode) {
    PeriodSearch search = run(mode, feasible(8.5), layers -> 1);
    assertThat(search.feasible()).isFalse();
    assertThat(search.layers()).isOne();
    assertThat(search.tried()).containsExactly(4, 5, 3, 6, 2, 7, 1, 8);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "5, 3", "64, 32"})
  void search_beginsWithTheMedian(int layers, int median) {
    assertThat(new PeriodSearch(layers, Mode.FIRST).layers()).isEqualTo(median);
  }

  @Test
  void stepWithoutTime_isRefused() {
    assertThatThrownBy(() -> new PeriodSearch(0, Mode.FIRST)).hasMessageContaining("0 layers");
    assertThatThrownBy(() -> new PeriodSearch(1, Mode.FIRST).ran(true, 0))
        .hasMessageContaining("0 ns");
  }
}
