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

  /**
   * Tensor 1 is used by the kernels 0, 1 and 4, and by 11, 14 and 15 of the backward pass. It is
   * away only between 4 and 11, written back beside the kernels after its only write, and on its
   * way back one kernel before 11: a copy takes less than a kernel.
   */
  @Test
  void plan_skipConnection_itsTensorIsAwayOnlyBetweenThePasses() {
    TaskGraph graph = skipping(LONG_NANOS);
    assertThat(graph.users(1)).containsExactly(0, 1, 4, 11, 14, 15);
    PlacementPlan plan = new AutoVmPlanner().plan(graph, Plans.devices(6 * BYTES));
    assertThat(kernels(plan.after(), Kind.WRITE_BACK, 1)).containsExactly(0);
    assertThat(kernels(plan.after(), Kind.EVICT, 1)).containsExactly(4);
    assertThat(kernels(plan.before(), Kind.FETCH_AHEAD, 1)).containsExactly(10);
    for (Kind kind : List.of(Kind.WRITE_BACK, Kind.EVICT, Kind.FETCH, Kind.FETCH_AHEAD)) {
      boolean ahead = kind == Kind.FETCH_AHEAD;
      assertThat(kernels(ahead ? plan.after() : plan.before(), kind, 1)).as(kind.name()).isEmpty();
    }
    assertThat(plan.places()).containsEntry(1, CreationPlace.FAST);
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
