package io.idlalayer.benchmarks.tensors;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.engine.PlacementStats.ActionCost;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyRowTest {
  private static StepTraffic traffic(int steps, long out, long highWater) {
    ActionCost cost = new ActionCost(steps, 1, out, 2 * out);
    return new StepTraffic(
        steps, 0, out, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(Reason.ARGUMENT, cost), highWater);
  }

  @Test
  void perStep_severalTurns_givesTheMean() {
    PolicyRow row = new PolicyRow("x", 100);
    assertThat(row.perStep(StepTraffic::bytesFastToSlow)).isZero();
    row.turn(traffic(2, 100, 7));
    row.turn(traffic(3, 101, 5));
    assertThat(row.perStep(StepTraffic::bytesFastToSlow)).isEqualTo(40);
    assertThat(row.highWaterBytes()).isEqualTo(7);
    assertThat(row.turnSteps()).isEqualTo(5);
    assertThat(row.actions()).isEqualTo(Map.of(Reason.ARGUMENT, new ActionCost(5, 2, 201, 402)));
  }

  private static PolicyRow row(String name, double... seconds) {
    PolicyRow row = new PolicyRow(name, 100);
    turn(row, seconds);
    return row;
  }

  private static void turn(PolicyRow row, double... seconds) {
    row.startTurn();
    for (double one : seconds) {
      row.step(one);
    }
  }

  @Test
  void timesOf_anotherRow_comparesTurnByTurn() {
    PolicyRow quick = row("quick", 1, 2, 3);
    PolicyRow slow = row("slow", 3, 3, 9);
    // The machine has become four times as slow for both.
    turn(quick, 8);
    turn(slow, 14);
    assertThat(slow.timesOf(quick)).containsExactly(1.5, 1.75);
    assertThat(quick.timesOf(quick)).containsExactly(1, 1);
  }

  @Test
  void medianSeconds_liesInItsInterval() {
    PolicyRow row = row("x", 3, 1, 2, 100);
    assertThat(row.medianSeconds()).isEqualTo(2.5);
    assertThat(row.intervalSeconds()[0]).isBetween(1.0, 2.5);
    assertThat(row.intervalSeconds()[1]).isBetween(2.5, 100.0);
    assertThat(row.intervalSeconds()).isEqualTo(row.intervalSeconds());
    row.step(2.25);
    assertThat(row.medianSeconds()).isEqualTo(2.25);
    assertThat(row.steps()).isEqualTo(5);
  }

  @Test
  void oneTime_isItsOwnInterval() {
    PolicyRow row = row("x", 4);
    assertThat(row.intervalSeconds()).containsExactly(4, 4);
  }
}
