package io.idlalayer.middleware.placement.policies.migrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeriodSearchTest {
  private static final int LAYERS = 8;

  /** Most bytes of long-lived tensors that a period of some layers needs, in GB. */
  private static final List<Double> NEEDED = List.of(3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 10.0, 11.0);

  private static final double FAST = 10;
  private static final double BANDWIDTH = 4;

  private final PeriodSearch search = new PeriodSearch(LAYERS);

  /** Whether both constraints hold: everything fits, and copying takes no longer than computing. */
  private static IntPredicate feasible(double shortLived) {
    return layers -> {
      double needed = NEEDED.get(layers - 1);
      return needed <= FAST - shortLived && needed / BANDWIDTH <= 0.5 * layers;
    };
  }

  /** Returns the numbers of layers that are tried. */
  private List<Integer> run(IntPredicate feasible) {
    List<Integer> tried = new ArrayList<>();
    for (int step = 0; step < 100 && !search.ended(); step++) {
      tried.add(search.layers());
      search.ran(feasible.test(search.layers()));
    }
    assertThat(search.ended()).isTrue();
    return tried;
  }

  @Test
  void search_endsWithTheFirstThatMeetsTheConstraints() {
    assertThat(run(feasible(4.5))).containsExactly(4, 5, 3);
    assertThat(search.layers()).isEqualTo(3);
    assertThat(search.feasible()).isTrue();
    search.ran(false);
    assertThat(search.layers()).isEqualTo(3);
  }

  @Test
  void nothingMeetsTheConstraints_isAPeriodOfOneLayer() {
    assertThat(run(feasible(8.5))).containsExactly(4, 5, 3, 6, 2, 7, 1, 8);
    assertThat(search.feasible()).isFalse();
    assertThat(search.layers()).isOne();
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "5, 3", "64, 32"})
  void search_beginsWithTheMedian(int layers, int median) {
    assertThat(new PeriodSearch(layers).layers()).isEqualTo(median);
  }

  @Test
  void stepWithoutLayers_isRefused() {
    assertThatThrownBy(() -> new PeriodSearch(0)).hasMessageContaining("0 layers");
  }
}
