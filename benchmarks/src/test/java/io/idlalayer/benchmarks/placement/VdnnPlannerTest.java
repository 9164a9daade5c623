package io.idlalayer.benchmarks.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.placement.VdnnPlanner.Overlay;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.KernelSite.Phase;
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
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

public class VdnnPlannerTest {
  private static final long BYTES = 30_000_000;

  /** Layers in a row, each of which reads the output of the one before in both passes. */
  public static TaskGraph chain(String... operations) {
    int layers = operations.length;
    List<Tensor> tensors = new ArrayList<>();
    for (int layer = 0; layer <= layers; layer++) {
      TensorKind kind = layer == 0 ? TensorKind.INPUT : TensorKind.INTERMEDIATE;
      tensors.add(new Tensor("x" + layer, layer == layers ? 64 : BYTES, kind, false));
    }
    List<Kernel> kernels = new ArrayList<>();
    for (int layer = 0; layer < layers; layer++) {
      kernels.add(
          new Kernel(operations[layer], List.of(layer), List.of(layer + 1), 1_000_000)
              .of(Phase.FORWARD, layer));
    }
    for (int layer = layers - 1; layer >= 0; layer--) {
      kernels.add(
          new Kernel("d " + operations[layer], List.of(layer), List.of(), 2_000_000)
              .of(Phase.BACKWARD, layer));
    }
    return new TaskGraph(kernels, tensors);
  }

  private static PlacementPlan plan(Overlay overlay, TaskGraph graph, long fastBytes) {
    DeviceSpeed speed = DeviceSpeed.symmetric(16e9, 0);
    TransferTimes times = new TransferTimes(TierModel.DEFAULT, speed, speed);
    return new VdnnPlanner(overlay).plan(graph, new PlanDevices(fastBytes, times, 64, 1));
  }

  private static Move out(Kind kind, int tensor) {
    return new Move(kind, tensor, Reason.OFFLOAD);
  }

  private static Move in(Kind kind, int tensor) {
    return new Move(kind, tensor, Reason.PREFETCH);
  }

  private static List<Integer> offloaded(PlacementPlan plan) {
    return Stream.concat(plan.before().values().stream(), plan.after().values().stream())
        .flatMap(List::stream)
        .filter(move -> move.kind() == Kind.EVICT)
        .map(Move::tensor)
        .sorted()
        .toList();
  }

  @Test
  void all_threeLayers_offloadsAllButTheLastAndReturnsThemOneLayerAhead() {
    PlacementPlan plan = plan(Overlay.ALL, chain("conv", "pool", "fc"), BYTES);
    assertThat(plan.before(0)).containsExactly(out(Kind.WRITE_BACK, 0));
    assertThat(plan.after(0)).containsExactly(out(Kind.EVICT, 0));
    assertThat(plan.before(1)).containsExactly(out(Kind.WRITE_BACK, 1));
    assertThat(plan.after(1)).containsExactly(out(Kind.EVICT, 1));
    assertThat(plan.before(2)).isEmpty();
    // The backward pass of the last layer hides the copy for the one before it.
    assertThat(plan.before(3)).containsExactly(in(Kind.FETCH_AHEAD, 1));
    assertThat(plan.after(3)).containsExactly(in(Kind.FETCH, 1));
    assertThat(plan.before(4)).containsExactly(in(Kind.FETCH, 1), in(Kind.FETCH_AHEAD, 0));
    assertThat(plan.after(4)).containsExactly(in(Kind.FETCH, 0));
    assertThat(plan.before(5)).containsExactly(in(Kind.FETCH, 0));
  }

  @Test
  void conv_otherLayers_stay() {
    TaskGraph graph = chain("conv", "pool", "conv", "fc");
    assertThat(offloaded(plan(Overlay.CONV, graph, BYTES))).containsExactly(0, 2);
    assertThat(offloaded(plan(Overlay.CONV, chain("fc", "fc"), BYTES))).isEmpty();
  }

  @Test
  void conv_searchForTheNextFetch_passesOverLayersThatKeptTheirs() {
    PlacementPlan plan = plan(Overlay.CONV, chain("conv", "pool", "conv", "fc"), BYTES);
    assertThat(plan.before(4)).containsExactly(in(Kind.FETCH_AHEAD, 2));
    // The pool before it kept its input, so that the copy for the first layer begins here.
    assertThat(plan.before(5)).containsExactly(in(Kind.FETCH, 2), in(Kind.FETCH_AHEAD, 0));
    assertThat(plan.before(6)).isEmpty();
  }

  @Test
  void skipConnection_itsTensorLeavesAfterItsLastForwardUse() {
    List<Tensor> tensors =
        List.of(
            new Tensor("x", BYTES, TensorKind.INPUT, false),
            new Tensor("y", BYTES, TensorKind.INTERMEDIATE, false),
            new Tensor("z", BYTES, TensorKind.INTERMEDIATE, false));
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new Kernel("conv", List.of(0), List.of(1), 1).of(Phase.FORWARD, 0),
                new Kernel("add", List.of(0, 1), List.of(2), 1).of(Phase.FORWARD, 1),
                new Kernel("fc", List.of(2), List.of(), 1).of(Phase.FORWARD, 2),
                new Kernel("d fc", List.of(2), List.of(), 1).of(Phase.BACKWARD, 2),
                new Kernel("d conv", List.of(0), List.of(), 1).of(Phase.BACKWARD, 0)),
            tensors);
    PlacementPlan plan = plan(Overlay.ALL, graph, BYTES);
    assertThat(plan.before(0)).isEmpty();
    assertThat(plan.before(1)).containsExactly(out(Kind.WRITE_BACK, 0));
    assertThat(plan.after(1)).containsExactly(out(Kind.EVICT, 0));
  }

  @Test
  void dyn_takesTheFirstThatFits() {
    TaskGraph graph = chain("conv", "pool", "conv", "fc");
    long peak = graph.peakBytes();
    assertThat(plan(Overlay.DYN, graph, peak)).isEqualTo(PlacementPlan.NONE);
    PlacementPlan conv = plan(Overlay.CONV, graph, 1);
    long withConv = PlanFootprint.peakBytes(graph, conv);
    assertThat(withConv).isLessThan(peak);
    assertThat(plan(Overlay.DYN, graph, withConv)).isEqualTo(conv);
    assertThat(plan(Overlay.DYN, graph, withConv - 1)).isEqualTo(plan(Overlay.ALL, graph, 1));
  }

  @Test
  void kernelsWithoutPart_areReadFromTheirNames() {
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new Kernel("forward 0 convolution", List.of(0), List.of(1), 1),
                new Kernel("forward 1 output", List.of(1), List.of(), 1),
                new Kernel("backward 1 output", List.of(1), List.of(), 1),
                new Kernel("backward 0 convolution", List.of(0), List.of(), 1)),
            List.of(
                new Tensor("x", 8, TensorKind.INPUT, false),
                new Tensor("y", 8, TensorKind.INTERMEDIATE, false)));
    assertThat(offloaded(plan(Overlay.CONV, graph, 1))).containsExactly(0);
  }

  @Test
  void withoutLayers_nothingMoves() {
    TaskGraph graph =
        new TaskGraph(
            List.of(new Kernel("k", List.of(0), List.of(), 1)),
            List.of(new Tensor("w", 8, TensorKind.PARAMETER, false)));
    assertThat(plan(Overlay.ALL, graph, 1)).isEqualTo(PlacementPlan.NONE);
  }
}
