package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.benchmarks.quality.RunFile.Run;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QualityTablesTest {
  /** For each of two seeds: the product at 1 and 2 s, a rival as good at twice the cost. */
  private static QualityTables tables() {
    List<Run> runs = new ArrayList<>();
    for (long seed = 1; seed <= 2; seed++) {
      double shift = 0.01 * seed;
      runs.add(RunFileTest.run("fuzzy", 256, seed, 0.70 + shift, 1));
      runs.add(RunFileTest.run("fuzzy", 64, seed, 0.80 + shift, 2));
      runs.add(RunFileTest.run("late", 256, seed, 0.70 + shift, 2));
      runs.add(RunFileTest.run("late", 64, seed, 0.80 + shift, 4));
      runs.add(RunFileTest.run("weak", 64, seed, 0.60 + shift, 1));
    }
    return new QualityTables(runs, "fuzzy", QualityReport.Cost.CPU);
  }

  @Test
  void costFactor_isHowMuchMoreARivalPaysForTheSameAccuracy() {
    QualityTables.CostFactor factor = tables().costFactor("late");
    assertThat(Math.exp(factor.logarithm().mean())).isCloseTo(2, within(1e-9));
    assertThat(factor.never()).isZero();
    assertThat(factor.points()).isEqualTo(4);
  }

  @Test
  void costFactor_ofARivalThatNeverGetsThere_isUnknown() {
    QualityTables.CostFactor factor = tables().costFactor("weak");
    assertThat(factor.logarithm().pairs()).isZero();
    assertThat(factor.never()).isEqualTo(4);
    assertThat(factor.text()).isEqualTo("-");
  }

  @Test
  void saving_ofTheProduct_isHalfOfTheCostAtEveryAccuracy() {
    QualityTables.Saving saving = tables().saving("late");
    assertThat(Math.exp(saving.atBest().mean())).isCloseTo(0.5, within(1e-9));
    assertThat(Math.exp(saving.inCommon().mean())).isCloseTo(0.5, within(1e-9));
    assertThat(saving.atLeast(0.49)).isTrue();
    assertThat(saving.atLeast(0.51)).isFalse();
    assertThat(saving.best().mean()).isCloseTo(0, within(1e-9));
    assertThat(QualityTables.Saving.text(saving.atBest(), saving.seeds()))
        .isEqualTo("50 % [50, 50]");
  }

  @Test
  void saving_ofARivalThatIsAlwaysBehind_countsTheProductsCheapestConfiguration() {
    QualityTables.Saving saving = tables().saving("weak");
    assertThat(saving.atBest().mean()).as("both cost a second").isCloseTo(0, within(1e-9));
    assertThat(saving.best().mean()).isCloseTo(0.20, within(1e-9));
  }

  @Test
  void saving_whereTheProductNeverGetsThere_isNoneAndNoBarIsMet() {
    List<Run> runs = new ArrayList<>();
    for (long seed = 1; seed <= 2; seed++) {
      runs.add(RunFileTest.run("fuzzy", 64, seed, 0.80 + 0.1 * (seed - 1), 1));
      runs.add(RunFileTest.run("late", 64, seed, 0.85, 100));
    }
    QualityTables.Saving saving =
        new QualityTables(runs, "fuzzy", QualityReport.Cost.CPU).saving("late");
    assertThat(saving.atBest().pairs()).isEqualTo(1);
    assertThat(saving.atLeast(0.3)).isFalse();
    assertThat(QualityTables.Saving.text(saving.atBest(), saving.seeds()))
        .isEqualTo("reached by 1 of 2 seeds");
  }

  @Test
  void overFrontier_comparesAtTheSameCost_whereTheRivalHasOne() {
    assertThat(tables().overFrontier("late").mean()).isCloseTo(0.10, within(1e-9));
    assertThat(tables().overFrontier("weak").mean()).isCloseTo(0.15, within(1e-9));
  }

  @Test
  void costFactor_ofTheWhole_countsTheLearnersOwnWorkOfEachPolicy() {
    List<Run> runs = new ArrayList<>();
    for (long seed = 1; seed <= 2; seed++) {
      runs.add(RunFileTest.run("fuzzy", 64, seed, 0.80, 1));
      runs.add(RunFileTest.run("late", 64, seed, 0.80, 2));
    }
    QualityTables whole = new QualityTables(runs, "fuzzy", QualityReport.Cost.WHOLE);
    // Each run has 0.25 s of it.
    assertThat(Math.exp(whole.costFactor("late").logarithm().mean()))
        .isCloseTo(2.25 / 1.25, within(1e-9));
  }
}
