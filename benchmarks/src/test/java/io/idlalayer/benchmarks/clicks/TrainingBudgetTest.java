package io.idlalayer.benchmarks.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which samples train within a budget of seconds. */
final class TrainingBudgetTest {
  /** The places that train, in updates of some samples; the seconds go to {@code spent}. */
  private static List<Integer> taken(
      TrainingBudget budget, int samples, int update, double secondsEach, double[] spent) {
    List<Integer> places = new ArrayList<>();
    for (int place = 0; place < samples; place++) {
      if (budget.take(place)) {
        places.add(place);
        if (places.size() % update == 0) {
          spent[0] += update * secondsEach;
          budget.spent(update * secondsEach);
        }
      }
    }
    return places;
  }

  @Test
  void take_quarterOfTheSeconds_trainsEachFourthSampleEvenly() {
    double[] spent = {0};
    TrainingBudget budget = new TrainingBudget(250, 1_000);
    List<Integer> places = taken(budget, 1_000, 10, 1, spent);
    assertThat(budget.countedSeconds()).isBetween(230.0, 250.0).isEqualTo(spent[0] - 10);
    assertThat(budget.trained()).isEqualTo((int) spent[0]);
    assertThat(places.subList(0, 20)).isEqualTo(IntStream.range(0, 20).boxed().toList());
    // The second update is paid for at the 40th sample.
    assertThat(places.get(20)).isEqualTo(43);
    for (int i = 21; i < places.size(); i++) {
      assertThat(places.get(i) - places.get(i - 1)).isEqualTo(4);
    }
  }

  @Test
  void take_dearerSamplesLater_keepsToTheBudget() {
    TrainingBudget budget = new TrainingBudget(100, 1_000);
    int taken = 0;
    for (int place = 0; place < 1_000; place++) {
      if (budget.take(place) && ++taken % 5 == 0) {
        budget.spent(place < 500 ? 1 : 3);
      }
    }
    assertThat(budget.countedSeconds()).isBetween(90.0, 103.0);
  }

  @Test
  void take_budgetBelowOneUpdate_trainsTwice() {
    double[] spent = {0};
    List<Integer> places = taken(new TrainingBudget(5, 1_000), 1_000, 10, 1, spent);
    assertThat(spent[0]).isEqualTo(20);
    assertThat(places).hasSize(20);
  }

  @Test
  void take_noLimit_trainsAll() {
    double[] spent = {0};
    TrainingBudget unlimited = new TrainingBudget(Double.POSITIVE_INFINITY, 100);
    assertThat(taken(unlimited, 100, 7, 1, spent)).hasSize(100);
  }
}
