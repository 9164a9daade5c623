package io.idlalayer.modelcontroller.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.Limits;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each training takes 1 s, each second from 0 to 9 a sample arrives. */
final class LimitedRunTest {
  private static final ScheduleCosts COSTS = new ScheduleCosts(0, 1, 1);
  private static final int ARRIVALS = 10;

  private final List<String> updates = new ArrayList<>();

  private RuleOutcome run(RuleName rule, Limits limits) {
    return run(VirtualRun.withLimits(UpdateSettings.of(rule, 1).with(limits), COSTS, Machine.ONE));
  }

  private RuleOutcome run(VirtualRun run) {
    double[] seconds = new double[ARRIVALS];
    for (int i = 0; i < ARRIVALS; i++) {
      seconds[i] = i;
    }
    updates.clear();
    return run.listener((atNanos, samples) -> updates.add(samples + " at " + atNanos / 1e9))
        .run("rule", ArrivalTrace.ofSeconds(seconds));
  }

  @Test
  void maxBatch_whenSoManyWait_firesWithoutTheRule() {
    run(RuleName.MANUAL, new Limits(4, 0, 0));
    assertThat(updates).containsExactly("4 at 3.0", "4 at 7.0", "2 at 9.0");
  }

  @Test
  void maxWait_ofTheOldestSample_firesWithoutTheRule() {
    RuleOutcome outcome = run(RuleName.MANUAL, new Limits(100, 3.5, 0));
    assertThat(updates).containsExactly("4 at 3.5", "4 at 7.5", "2 at 11.5");
    assertThat(outcome.p99LatencySeconds()).isCloseTo(4.5, within(0.01));
  }

  @Test
  void minInterval_fromStartToStart_holdsTheRuleBack() {
    run(RuleName.BEST_EFFORT, new Limits(100, 0, 4));
    assertThat(updates).containsExactly("1 at 0.0", "4 at 4.0", "4 at 8.0", "1 at 12.0");
  }

  @Test
  void limitsThatAreNeverReached_changeNothing() {
    for (RuleName rule : RuleName.values()) {
      run(new VirtualRun(UpdateSettings.of(rule, 1), COSTS, Machine.ONE));
      List<String> unlimited = List.copyOf(updates);
      run(rule, new Limits(ARRIVALS + 1, 0, 0.5));
      assertThat(updates).as(rule.key()).isEqualTo(unlimited);
    }
  }
}
