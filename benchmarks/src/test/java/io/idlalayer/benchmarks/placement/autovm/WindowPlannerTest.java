package io.idlalayer.benchmarks.placement.autovm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WindowPlannerTest {
  private static final long BYTES = 1 << 20;
  private static final long NANOS = 5_000_000;
  private static final int LAYERS = 8;
  private static final DeviceSpeed DRAM = DeviceSpeed.symmetric(1e10, 100);

  /** Layers in a row, of which the fifth reads the output of the first as well. */
  private static TaskGraph skipping() {
    List<Tensor> tensors = new ArrayList<>();
    tensors.add(new Tensor("x", BYTES, TensorKind.INPUT, false));
    for (int l = 1; l <= LAYERS; l++) {
      tensors.add(new Tensor("y" + l, BYTES, TensorKind.INTERMEDIATE, false));
    }
    List<Kernel> kernels = new ArrayList<>();
    for (int l = 1; l <= LAYERS; l++) {
      List<Integer> reads = l == 5 ? List.of(l - 1, 1) : List.of(l - 1);
      kernels.add(new Kernel("forward " + l, reads, List.of(l), NANOS).of(Phase.FORWARD, l));
    }
    for (int l = LAYERS; l >= 1; l--) {
      List<Integer> reads = l == 5 ? List.of(l - 1, l, 1) : List.of(l - 1, l);
      kernels.add(new Kernel("backward " + l, reads, List.of(), NANOS).of(Phase.BACKWARD, l));
    }
    return new TaskGraph(kernels, tensors);
  }

  private static PlanDevices devices(long fastBytes) {
    TransferTimes times = new TransferTimes(TierModel.DEFAULT, DeviceSpeed.slowerThan(DRAM), DRAM);
    return new PlanDevices(fastBytes, times, 64, 1);
  }

  private static List<Integer> kernels(Map<Integer, List<Move>> moves, Kind kind, int tensor) {
    return moves.entrySet().stream()
        .filter(
            each ->
                each.getValue().stream()
                    .anyMatch(move -> move.kind() == kind && move.tensor() == tensor))
        .map(Map.Entry::getKey)
        .toList();
  }

  @ParameterizedTest
  @EnumSource(WindowPlanner.Form.class)
  void plan_stepThatFits_isNone(WindowPlanner.Form form) {
    TaskGraph graph = skipping();
    assertThat(new WindowPlanner(form).plan(graph, devices(graph.peakBytes())))
        .isEqualTo(PlacementPlan.NONE);
    assertThat(new WindowPlanner(form).plan(new TaskGraph(List.of(), List.of()), devices(1)))
        .isEqualTo(PlacementPlan.NONE);
  }

  @ParameterizedTest
  @EnumSource(WindowPlanner.Form.class)
  void plan_skipConnection_leavesAfterItsLastForwardUse(WindowPlanner.Form form) {
    PlacementPlan plan = new WindowPlanner(form).plan(skipping(), devices(6 * BYTES));
    // Its last forward use is the fifth kernel, its first backward use the twelfth.
    assertThat(kernels(plan.after(), Kind.WRITE_BACK, 1)).containsExactly(4);
    assertThat(kernels(plan.after(), Kind.EVICT, 1)).isNotEmpty().allMatch(kernel -> kernel > 4);
  }

  @Test
  void plan_printedForm_alonePredicts() {
    PlanDevices devices = devices(6 * BYTES);
    assertThat(
            new WindowPlanner(WindowPlanner.Form.UNKNOWN)
                .plan(skipping(), devices)
                .predictedNanos())
        .isZero();
    assertThat(
            new WindowPlanner(WindowPlanner.Form.PRINTED)
                .plan(skipping(), devices)
                .predictedNanos())
        .isGreaterThanOrEqualTo(skipping().fastNanos());
  }

  @Test
  void name_ofEachForm_isThatOfItsPolicy() {
    assertThat(new WindowPlanner(WindowPlanner.Form.UNKNOWN).name()).isEqualTo("autovm-unknown");
    assertThat(new WindowPlanner(WindowPlanner.Form.PRINTED).name()).isEqualTo("autovm-printed");
  }
}
