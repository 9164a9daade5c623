package io.idlalayer.modelcontroller.mixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class ClassPriorTest {
  @Test
  void probabilities_noLabelYet_areEqual() {
    assertThat(new ClassPrior(4).probabilities()).containsExactly(0.25, 0.25, 0.25, 0.25);
  }

  @Test
  void probabilities_fewLabels_areTheirFrequencies() {
    ClassPrior prior = new ClassPrior(2);
    for (int i = 0; i < 100; i++) {
      prior.add(i % 4 == 0 ? 1 : 0, 1);
    }
    assertThat(prior.probabilities()[1]).isCloseTo(0.25, within(0.01));
  }

  @Test
  void add_weightedLabels_countByTheirWeights() {
    ClassPrior prior = new ClassPrior(2);
    for (int i = 0; i < 200; i++) {
      prior.add(i % 2, i % 2 == 0 ? 3 : 1);
    }
    assertThat(prior.probabilities()[0]).isCloseTo(0.75, within(0.01));
  }

  @Test
  void probabilities_frequenciesChange_followWithinTheWindow() {
    ClassPrior prior = new ClassPrior(2);
    for (int i = 0; i < 1_000_000; i++) {
      prior.add(0, 1);
    }
    for (int i = 0; i < 3 * ClassPrior.WINDOW; i++) {
      prior.add(1, 1);
    }
    assertThat(prior.probabilities()[1]).isGreaterThan(0.9);
  }

  @Test
  void probabilities_manyLabels_stayADistribution() {
    ClassPrior prior = new ClassPrior(3);
    for (int i = 0; i < 5_000_000; i++) {
      prior.add(i % 2, 1);
    }
    double[] probabilities = prior.probabilities();
    assertThat(probabilities[0] + probabilities[1] + probabilities[2]).isCloseTo(1, within(1e-9));
    assertThat(probabilities[2]).isPositive().isLessThan(0.001);
  }
}
