package io.idlalayer.benchmarks.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whole runs of a small graph: the product's learner, and real iterations. */
final class SourceRunTest {
  private static final int EVENTS = 400;
  private static final int NODES = 50;

  private static Outcome run(Arm arm, double slowdown) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(1);
    List<Sample> edges = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      edges.add(RankWorkload.edge(random.nextInt(NODES), random.nextInt(NODES)));
    }
    return new SourceRun(
            arm,
            1_000,
            new SourceRun.Machine(slowdown),
            new RankWorkload(NODES, edges),
            Arrivals.STEADY.millis(EVENTS, 300, 1))
        .run(1);
  }

  @Test
  void run_everyTwoMinutes_updatesAtTheEndOfEachPeriod() throws Exception {
    Outcome outcome = run(Arm.SOURCE_PERIODIC, 1);
    assertThat(outcome.updates()).isEqualTo(3);
    assertThat(outcome.elapsedSeconds()).isBetween(360.0, 362.0);
    assertThat(outcome.meanWaitSeconds()).isBetween(50.0, 75.0);
    assertThat(outcome.cost())
        .isCloseTo(
            EVENTS * outcome.meanWaitSeconds() + 1_000 * outcome.trainingSeconds(), within(1e-6));
  }

  @Test
  void run_continuously_waitsForTheTrainingsOnly() throws Exception {
    Outcome often = run(Arm.CONTINUOUS, 1);
    Outcome periodic = run(Arm.SOURCE_PERIODIC, 1);
    assertThat(often.updates()).isGreaterThan(EVENTS / 4);
    assertThat(often.meanWaitSeconds()).isLessThan(5);
    assertThat(often.quality().loss())
        .as("distance to the true ranks")
        .isLessThan(periodic.quality().loss());
  }

  @Test
  void run_onASlowMachine_theRuleUpdatesLessOften() throws Exception {
    Outcome fast = run(Arm.DLA, 1);
    Outcome slow = run(Arm.DLA, 10_000);
    assertThat(fast.updates()).isGreaterThan(slow.updates());
    assertThat(slow.meanWaitSeconds()).isGreaterThan(fast.meanWaitSeconds());
    assertThat(slow.elapsedSeconds() - slow.lastWaitSeconds())
        .as("arrivals are the same")
        .isCloseTo(fast.elapsedSeconds() - fast.lastWaitSeconds(), within(1e-9));
  }
}
