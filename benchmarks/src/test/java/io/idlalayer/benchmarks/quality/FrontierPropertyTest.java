package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.benchmarks.quality.Frontier.Point;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class FrontierPropertyTest {
  @Provide
  Arbitrary<List<Point>> configurations() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 20), Arbitraries.integers().between(0, 20))
        .as((cost, accuracy) -> new Point(cost + "/" + accuracy, cost, accuracy / 20.0))
        .list()
        .ofMinSize(1)
        .ofMaxSize(12);
  }

  @Property
  void of_anyConfigurations_holdsThoseThatNoOtherBeats(
      @ForAll("configurations") List<Point> configurations) {
    Frontier frontier = Frontier.of(configurations);
    for (Point point : configurations) {
      boolean beaten =
          configurations.stream()
              .anyMatch(
                  other ->
                      (other.cost() < point.cost() && other.accuracy() >= point.accuracy())
                          || (other.cost() == point.cost() && other.accuracy() > point.accuracy()));
      assertThat(frontier.points().contains(point)).isEqualTo(!beaten);
    }
  }

  @Property
  void costOf_interpolated_isNoWorseThanAnyConfiguration(
      @ForAll("configurations") List<Point> configurations) {
    Frontier frontier = Frontier.of(configurations);
    for (Point point : configurations) {
      assertThat(frontier.costOf(point.accuracy())).isLessThanOrEqualTo(point.cost() + 1e-9);
      assertThat(frontier.accuracyAt(point.cost())).isGreaterThanOrEqualTo(point.accuracy() - 1e-9);
    }
    for (Point point : frontier.points()) {
      assertThat(frontier.costOf(point.accuracy())).isCloseTo(point.cost(), within(1e-9));
      assertThat(frontier.accuracyAt(point.cost())).isCloseTo(point.accuracy(), within(1e-9));
    }
  }

  @Example
  void costOf_betweenPoints_isInterpolatedAndBeyondIsNone() {
    Frontier frontier =
        Frontier.of(
            List.of(new Point("a", 1, 0.5), new Point("b", 3, 0.7), new Point("c", 2, 0.4)));
    assertThat(frontier.costOf(0.6)).isCloseTo(2.0, within(1e-9));
    assertThat(frontier.accuracyAt(2)).isCloseTo(0.6, within(1e-9));
    assertThat(frontier.costOf(0.71)).isNull();
    assertThat(frontier.accuracyAt(0.9)).isNull();
    assertThat(frontier.costOf(0.1)).isEqualTo(1.0);
    assertThat(frontier.accuracyAt(9)).isEqualTo(0.7);
    assertThat(frontier.best().configuration()).isEqualTo("b");
  }

  @Example
  void of_noConfiguration_isRefused() {
    assertThatThrownBy(() -> Frontier.of(List.of())).hasMessageContaining("needs");
  }
}
