package io.idlalayer.benchmarks.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SourceTableTest {
  private static final Arm SHORT = new Arm(RuleName.PERIODIC, 5, true);
  private static final Arm LONG = new Arm(RuleName.PERIODIC, 60, true);

  private static Outcome outcome(double elapsed, double cost, double loss) {
    return new Outcome(elapsed, 1, 2, 3, 4, 5, cost, new Outcome.Quality(0.5, loss));
  }

  private static SourceTable table() {
    Map<Arm, List<Outcome>> arms = new LinkedHashMap<>();
    arms.put(Arm.SOURCE_PERIODIC, List.of(outcome(200, 900, 1), outcome(400, 900, 1)));
    arms.put(Arm.CONTINUOUS, List.of(outcome(100, 400, 1), outcome(100, 400, 2)));
    arms.put(Arm.DLA, List.of(outcome(150, 110, 0), outcome(300, 230, 1)));
    arms.put(SHORT, List.of(outcome(110, 100, 1), outcome(110, 300, 1)));
    arms.put(LONG, List.of(outcome(160, 200, 1), outcome(160, 200, 1)));
    return new SourceTable(arms);
  }

  @Test
  void best_ofEachSeed_isThePeriodOfLeastCost() {
    assertThat(table().best()).extracting(Outcome::cost).containsExactly(100.0, 200.0);
    assertThat(table().best()).extracting(Outcome::elapsedSeconds).containsExactly(110.0, 160.0);
  }

  @Test
  void percentAbove_twoSeeds_comparesSeedBySeed() {
    assertThat(
            SourceTable.percentAbove(
                List.of(outcome(150, 1, 1), outcome(500, 1, 1)),
                List.of(outcome(200, 1, 1), outcome(400, 1, 1)),
                Outcome::elapsedSeconds))
        .containsExactly(new double[] {-25, 25}, within(1e-9));
  }

  @Test
  void markdown_arms_haveRowsWithTheirDifferences() {
    List<String> lines = table().markdown().lines().toList();
    String dla =
        lines.stream().filter(line -> line.startsWith("| dla |")).findFirst().orElseThrow();
    assertThat(dla)
        .as("elapsed, against 2 minutes")
        .startsWith("| dla | 225.0 | -25.0 | 1.00 | 2.000 | 3 | 4.00 | 5.00 | 170 | +12.5 (")
        .as("perplexity e^0 against e^1, and e^1 against e^2: 63 percent less")
        .contains("| -63.2 |");
    assertThat(lines).anyMatch(line -> line.startsWith("| best period in hindsight | 135.0 |"));
    assertThat(lines).noneMatch(line -> line.startsWith("| periodic 5 s |"));
    assertThat(lines.get(lines.size() - 1))
        .isEqualTo("Cost by period, median: periodic 5 s: 200; periodic 60 s: 200.");
  }

  @Test
  void markdown_ranks_haveNoShareOfRightPredictions() {
    Outcome ranks = new Outcome(1, 1, 1, 1, 1, 1, 1, new Outcome.Quality(Double.NaN, 0.25));
    Map<Arm, List<Outcome>> arms = new LinkedHashMap<>();
    Arm.all(List.of(5.0)).forEach(arm -> arms.put(arm, List.of(ranks)));
    assertThat(new SourceTable(arms).markdown()).contains("|  | 0.2500 |  |").doesNotContain("NaN");
  }
}
