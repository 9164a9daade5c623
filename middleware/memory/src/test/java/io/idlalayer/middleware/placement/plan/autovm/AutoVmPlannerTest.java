package io.idlalayer.middleware.placement.plan.autovm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.Plans;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AutoVmPlannerTest {
  private static final long BYTES = 1 << 20;
  private static final long LONG_NANOS = 5_000_000;

  /** Layers in a row, of which the third reads the output of the first as well. */
  private static TaskGraph skipping(long nanos) {
    int layers = 8;
    List<Tensor> tensors = new ArrayList<>();
    tensors.add(new Tensor("x", BYTES, TensorKind.INPUT, false));
    for (int l = 1; l <= layers; l++) {
      tensors.add(new Tensor("y" + l, BYTES, TensorKind.INTERMEDIATE, false));
    }
    List<Kernel> kernels = new ArrayList<>();
    for (int l = 1; l <= layers; l++) {
      List<Integer> reads = l == 5 ? List.of(l - 1, 1) : List.of(l - 1);
      kernels.add(new Kernel("forward " + l, reads, List.of(l), nanos).of(Phase.FORWARD, l));
    }
    for (int l = layers; l >= 1; l--) {
      List<Integer> reads = l == 5 ? List.of(l - 1, l, 1) : List.of(l - 1, l);
      kernels.add(new Kernel("backward " + l, reads, List.of(), nanos).of(Phase.BACKWARD, l));
    }
    return new TaskGraph(kernels, tensors);
  }

  private static List<Integer> kernels(Map<Integer, List<Move>> moves, Kind kind, int tensor) {
    return moves.entrySet().stream()
        .filter(
            each ->
                each.getValue().stream()
                    .anyMatch(move -> move.kind() == kind && move.tensor() == tensor))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  @Test
  void plan_stepThatFits_isNone() {
    TaskGraph graph = skipping(LONG_NANOS);
    PlacementPlan plan = new AutoVmPlanner().plan(graph, Plans.devices(graph.peakBytes()));
    assertThat(plan).isEqualTo(PlacementPlan.NONE);
    assertThat(new AutoVmPlanner().plan(new TaskGraph(List.of(), List.of()), Plans.devices(1)))
        .isEqualTo(PlacementPlan.NONE);
  }

  @Test
  void plan_skipConnection_itsTensorIsThereForEachUseAndAwayBetween() {
    TaskGraph graph = skipping(LONG_NANOS);
    PlanDevices devices = Plans.devices(6 * BYTES);
    PlacementPlan known = new AutoVmPlanner().plan(graph, devices);
    for (int evicted : kernels(known.after(), Kind.EVICT, 1)) {
      assertThat(graph.users(1)).anyMatch(user -> user > evicted);
      assertThat(kernels(known.before(), Kind.FETCH_AHEAD, 1))
          .anyMatch(fetched -> fetched > evicted);
    }
  }

  @Test
  void plan_knownRuntimes_hidesAllCopiesWhereTheyFit() {
    TaskGraph graph = skipping(LONG_NANOS);
    PlacementPlan plan = new AutoVmPlanner().plan(graph, Plans.devices(6 * BYTES));
    assertThat(plan.predictedNanos()).isEqualTo(graph.fastNanos());
    assertThat(plan.boundNanos()).isEqualTo(graph.fastNanos());
    assertThat(plan.places().values()).containsOnly(CreationPlace.FAST);
  }

  @Test
  void plan_copiesLongerThanTheGaps_areSkipped() {
    TaskGraph graph = skipping(1);
    PlacementPlan plan = new AutoVmPlanner().plan(graph, Plans.devices(6 * BYTES));
    assertThat(plan).isEqualTo(PlacementPlan.NONE);
  }

  @Test
  void plan_timesMissing_isNone() {
    TaskGraph graph = skipping(0);
    assertThat(new AutoVmPlanner().plan(graph, Plans.devices(6 * BYTES)))
        .isEqualTo(PlacementPlan.NONE);
  }
}
