package io.idlalayer.middleware.placement.policies.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.policies.migrating.PeriodCosts.Cost;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PeriodCostsTest {
  private static final TransferTimes TIMES =
      new TransferTimes(
          TierModel.DEFAULT, DeviceSpeed.symmetric(18e9, 0), DeviceSpeed.symmetric(36e9, 0));
  private static final long MILLI = 1_000_000;

  private static PeriodCosts costs(TaskGraph graph, long fastBytes) {
    long[] nanos = graph.kernels().stream().mapToLong(Kernel::fastNanos).toArray();
    return new PeriodCosts(new StepProfile(graph), nanos, TIMES, fastBytes);
  }

  private static TaskGraph twoKernels(long bytes) {
    Tensor weights = new Tensor("a", bytes, TensorKind.PARAMETER, false);
    Tensor others = new Tensor("b", bytes, TensorKind.PARAMETER, false);
    return new TaskGraph(
        List.of(
            new Kernel("k1", List.of(0), List.of(), 10 * MILLI),
            new Kernel("k2", List.of(1), List.of(), 10 * MILLI)),
        List.of(weights, others));
  }

  /** The example of the specification: 10 ms of computing beside copies of 5 and of 15 ms. */
  @Test
  void period_takesTheLongerOfComputingAndMoving() {
    Periods each = new Periods(List.of(0, 1));
    Cost hidden = costs(twoKernels(90_000_000), 1L << 40).of(each).get(1);
    assertThat(hidden.moveNanos()).isEqualTo(5 * MILLI);
    assertThat(hidden.nanos()).isEqualTo(10 * MILLI);
    assertThat(hidden.hidden()).isTrue();
    Cost late = costs(twoKernels(270_000_000), 1L << 40).of(each).get(1);
    assertThat(late.moveNanos()).isEqualTo(15 * MILLI);
    assertThat(late.nanos()).isEqualTo(15 * MILLI);
    assertThat(late.hidden()).isFalse();
    assertThat(costs(twoKernels(90_000_000), 1L << 40).feasible(each)).isTrue();
    assertThat(costs(twoKernels(270_000_000), 1L << 40).feasible(each)).isFalse();
  }

  @Test
  void periodThatDoesNotFit_isNotFeasibleAndMovesBeforeItComputes() {
    Cost cost = costs(twoKernels(90_000_000), 80_000_000).of(new Periods(List.of(0))).get(0);
    assertThat(cost.neededBytes()).isEqualTo(180_000_000);
    assertThat(cost.fits()).isFalse();
    assertThat(cost.nanos()).isEqualTo(20 * MILLI + 10 * MILLI);
  }

  @Test
  void shortLivedTensors_areNotMovedAndTakeSpace() {
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new Kernel("k1", List.of(), List.of(0), 1),
                new Kernel("k2", List.of(1), List.of(), 1)),
            List.of(
                new Tensor("passing", 70, TensorKind.INTERMEDIATE, false),
                new Tensor("kept", 40, TensorKind.PARAMETER, false)));
    Cost cost = costs(graph, 100).of(new Periods(List.of(0))).get(0);
    assertThat(cost.shortLivedBytes()).isEqualTo(70);
    assertThat(cost.neededBytes()).isEqualTo(40);
    assertThat(cost.movedBytes()).isEqualTo(40);
    assertThat(cost.fits()).isFalse();
  }

  /** Cuts at any layers are never predicted to be worse than any others, equal lengths included. */
  @Property(tries = 60)
  void best_isTheBestOfAllCuts(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 4000) int fastBytes) {
    TaskGraph graph = RandomGraphs.any(seed, 8, 8, new RandomGraphs.Sizes(64, 12));
    StepProfile step = new StepProfile(graph);
    PeriodCosts costs = costs(graph, fastBytes);
    long best = costs.nanos(costs.best());
    for (int cuts = 0; cuts < 1 << (step.layers() - 1); cuts++) {
      List<Integer> starts = new ArrayList<>(List.of(0));
      for (int layer = 1; layer < step.layers(); layer++) {
        if ((cuts >> (layer - 1) & 1) == 1) {
          starts.add(step.firstKernel(layer));
        }
      }
      assertThat(best).isLessThanOrEqualTo(costs.nanos(new Periods(starts)));
    }
  }

  @Test
  void stepWithoutKernels_isOnePeriod() {
    PeriodCosts costs = costs(new TaskGraph(List.of(), List.of()), 1);
    assertThat(costs.best()).isEqualTo(new Periods(List.of(0)));
    assertThat(costs.nanos(costs.best())).isZero();
  }
}
