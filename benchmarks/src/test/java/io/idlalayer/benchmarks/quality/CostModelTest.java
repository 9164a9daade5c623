package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.benchmarks.quality.RunFile.Run;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CostModelTest {
  private static Run run(int updates, long rows, double seconds) {
    Run any = RunFileTest.run("fuzzy", 250, 1, 0.5, 1);
    return new Run(
        any.key(),
        new RunOutcome(
            rows > Integer.MAX_VALUE ? 0 : (int) rows,
            0,
            any.outcome().quality(),
            new RunCosts(seconds, seconds, 0, updates, rows, 0),
            0,
            any.outcome().replay(),
            List.of()));
  }

  @Test
  void fit_exactCosts_findsBothCoefficients() {
    List<Run> runs = new ArrayList<>();
    for (int updates : new int[] {10, 100, 1_000}) {
      for (long rows : new long[] {40_000, 90_000}) {
        runs.add(run(updates, rows, 0.002 * updates + 0.00003 * 2 * rows));
      }
    }
    CostModel model = CostModel.fit(runs, RunCosts::trainCpuSeconds);
    assertThat(model.secondsPerUpdate()).isCloseTo(0.002, within(1e-9));
    assertThat(model.secondsPerRow()).isCloseTo(0.00003, within(1e-11));
    assertThat(model.seconds(runs.get(3))).isCloseTo(5.6, within(1e-6));
  }

  @Test
  void fit_oneKindOfRun_putsAllOnTheRows() {
    CostModel model =
        CostModel.fit(List.of(run(10, 1_000, 1), run(10, 1_000, 1)), RunCosts::trainCpuSeconds);
    assertThat(model.seconds(run(10, 1_000, 1))).isCloseTo(1, within(1e-9));
    assertThat(model.secondsPerUpdate()).isZero();
  }
}
