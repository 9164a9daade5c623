package io.idlalayer.middleware.placement.plan.autovm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.Reason;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The backward pass of the source's example: six operations of 1, 2, 4, 2, 2 and 5 ms. Operations 2
 * to 5 use outputs 4 to 1, whose copies take 2, 2, 4 and 4 ms.
 */
class StepPredictionTest {
  private static final long MILLIS = 1_000_000;
  private static final long[] RUNTIMES = {1, 2, 4, 2, 2, 5};
  private static final long[] BYTES = {20_000, 20_000, 40_000, 40_000};

  /** 10 bytes a microsecond. */
  private static final PlanDevices DEVICES =
      new PlanDevices(
          1 << 20,
          new TransferTimes(
              TierModel.DEFAULT, DeviceSpeed.symmetric(10e6, 0), DeviceSpeed.symmetric(1e15, 0)),
          1,
          1);

  private static TaskGraph graph() {
    List<Tensor> tensors = new ArrayList<>();
    for (long bytes : BYTES) {
      tensors.add(new Tensor("y" + tensors.size(), bytes, TensorKind.PARAMETER, false));
    }
    List<Kernel> kernels = new ArrayList<>();
    for (int k = 0; k < RUNTIMES.length; k++) {
      List<Integer> reads = k >= 1 && k <= 4 ? List.of(k - 1) : List.of();
      kernels.add(new Kernel("k" + k, reads, List.of(), RUNTIMES[k] * MILLIS));
    }
    return new TaskGraph(kernels, tensors);
  }

  /** Returns a plan that drops each tensor after its use and fetches it before a kernel. */
  private static PlacementPlan plan(Kind kind, int... starts) {
    Map<Integer, List<Move>> before = new HashMap<>();
    Map<Integer, List<Move>> after = new HashMap<>();
    for (int tensor = 0; tensor < starts.length; tensor++) {
      before
          .computeIfAbsent(starts[tensor], any -> new ArrayList<>())
          .add(new Move(kind, tensor, Reason.PREFETCH));
      after
          .computeIfAbsent(tensor + 1, any -> new ArrayList<>())
          .add(new Move(Kind.EVICT, tensor, Reason.OFFLOAD));
    }
    return new PlacementPlan(before, after);
  }

  @Test
  void nanos_allFromTheStart_stallsWhereTheChannelIsTooSlow() {
    // Copies end at 2, 4, 8 and 12 ms: 1 ms before the second operation, 2 ms before the fifth.
    assertThat(StepPrediction.nanos(graph(), DEVICES, plan(Kind.FETCH_AHEAD, 0, 0, 0, 0)))
        .isEqualTo(19 * MILLIS);
  }

  @Test
  void nanos_onDemand_waitsForEachCopy() {
    assertThat(StepPrediction.nanos(graph(), DEVICES, plan(Kind.FETCH, 1, 2, 3, 4)))
        .isEqualTo(28 * MILLIS);
  }

  @Test
  void nanos_nothingMoves_isTheSumOfTheKernels() {
    assertThat(StepPrediction.nanos(graph(), DEVICES, PlacementPlan.NONE)).isEqualTo(16 * MILLIS);
  }

  @Test
  void nanos_fastTensorThatIsLeaving_isReadWithoutWaiting() {
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new Kernel("write", List.of(), List.of(0), MILLIS),
                new Kernel("read", List.of(0), List.of(), 2 * MILLIS)),
            List.of(new Tensor("y", 20_000, TensorKind.PARAMETER, true)));
    List<Move> moves =
        List.of(
            new Move(Kind.WRITE_BACK, 0, Reason.WRITE_AHEAD),
            new Move(Kind.FETCH, 0, Reason.PREFETCH));
    assertThat(StepPrediction.nanos(graph, DEVICES, new PlacementPlan(Map.of(1, moves), Map.of())))
        .isEqualTo(3 * MILLIS);
  }
}
