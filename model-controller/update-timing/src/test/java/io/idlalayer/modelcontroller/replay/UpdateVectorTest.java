package io.idlalayer.modelcontroller.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelcontroller.update.UpdateDecision;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Worked examples on whole schedules, computed by hand. */
final class UpdateVectorTest {
  private static final double[] ARRIVALS = {0, 1, 2, 3, 10, 11, 12, 13};
  private static final ScheduleCosts COSTS = new ScheduleCosts(0.05, 1, 6);
  private static final Offset<Double> ROUNDING = within(1e-6);

  private record Update(double atSeconds, int samples) {}

  private final List<Update> updates = new ArrayList<>();

  private RuleOutcome run(RuleName rule, ScheduleCosts costs, double... arrivals) {
    updates.clear();
    return new VirtualRun(UpdateSettings.of(rule, costs.weight()), costs, Machine.MANY)
        .listener((at, samples) -> updates.add(new Update(at / 1e9, samples)))
        .run(rule.key(), ArrivalTrace.ofSeconds(arrivals));
  }

  private static double latency(RuleOutcome outcome, int samples) {
    return outcome.meanLatencySeconds() * samples;
  }

  @Test
  void vectorT1_thePaperTrainsFiveAtTheFifthAndTheRestAtTheEnd() {
    RuleOutcome paper = run(RuleName.PAPER, COSTS, ARRIVALS);

    assertThat(updates).containsExactly(new Update(10, 5), new Update(13, 3));
    assertThat(latency(paper, ARRIVALS.length)).isCloseTo(46.7, ROUNDING);
    assertThat(paper.machineSeconds()).isCloseTo(2.4, ROUNDING);
    assertThat(paper.cost()).isCloseTo(61.1, ROUNDING);
  }

  @Test
  void vectorT1_theTimerFiresAtTheEarliestCandidateAndBothRatiosAreAsPrinted() {
    RuleOutcome timer = run(RuleName.DLA, COSTS, ARRIVALS);

    assertThat(updates).extracting(Update::samples).containsExactly(4, 4);
    assertThat(updates.get(0).atSeconds()).isCloseTo(3.8, ROUNDING);
    assertThat(updates.get(1).atSeconds()).isCloseTo(13.8, ROUNDING);
    assertThat(latency(timer, ARRIVALS.length)).isCloseTo(28.0, ROUNDING);
    assertThat(timer.cost()).isCloseTo(42.4, ROUNDING);
    ReplayLab lab = new ReplayLab(ArrivalTrace.ofSeconds(ARRIVALS), COSTS, Machine.MANY);
    ReplayLab.Optimum optimum = lab.optimum(List.of());
    assertThat(optimum.cost()).isCloseTo(36.0, ROUNDING);
    assertThat(lab.totalRatio(run(RuleName.PAPER, COSTS, ARRIVALS), optimum))
        .isCloseTo(1.697, within(5e-4));
    assertThat(lab.totalRatio(timer, optimum)).isCloseTo(1.178, within(5e-4));
  }

  @Test
  void vectorT2_aLoneSampleNeverStartsThePaperRuleWhileTheStreamIsOpen() {
    UpdateController controller =
        new UpdateController(
            UpdateSettings.of(RuleName.PAPER, COSTS.weight())
                .with(new UpdateSettings.Limits(1000, 0, 0)),
            new TrainingCostModel());

    assertThat(controller.arrived(0, 1)).isInstanceOf(UpdateDecision.Wait.class);
    assertThat(controller.nextFiringNanos()).isEqualTo(UpdateDecision.Explanation.NEVER);
    assertThat(controller.evaluate(1_000_000_000_000_000L)).isInstanceOf(UpdateDecision.Wait.class);
    assertThat(controller.pending()).isEqualTo(1);
  }

  @Test
  void vectorT9_withFreeUpdatesThePaperTrainsAtEveryThirdArrivalAsItSplitsAfterTwo() {
    run(RuleName.PAPER, new ScheduleCosts(0.05, 1, 0), 0, 1, 2, 3, 4, 5);
    assertThat(updates).containsExactly(new Update(2, 3), new Update(5, 3));

    run(RuleName.PAPER, new ScheduleCosts(0, 0, 6), 0, 1, 2, 3, 4, 5);
    assertThat(updates).containsExactly(new Update(2, 3), new Update(5, 3));
  }

  @Test
  void vectorT9_equalTimestampsAreOneGroup() {
    RuleOutcome timer = run(RuleName.DLA, COSTS, 0, 0, 0, 0);

    // The candidates are 5.7, 2.8, 1.9 and 6/4.
    assertThat(updates).hasSize(1);
    assertThat(updates.get(0).samples()).isEqualTo(4);
    assertThat(updates.get(0).atSeconds()).isCloseTo(1.5, ROUNDING);
    assertThat(timer.cost()).isCloseTo(4 * (1.5 + 1.2) + 6 * 1.2, ROUNDING);
  }

  @Test
  void vectorT9_trainingsThatCostNothingPerSampleFireAtTheFlatThreshold() {
    run(RuleName.DLA, new ScheduleCosts(0, 1, 6), 0, 1, 2, 3);

    // a_k + 6/k: 6, 4, 4, 4.5.
    assertThat(updates).hasSize(1);
    assertThat(updates.get(0).atSeconds()).isCloseTo(4.0, ROUNDING);
    assertThat(updates.get(0).samples()).isEqualTo(4);
  }
}
