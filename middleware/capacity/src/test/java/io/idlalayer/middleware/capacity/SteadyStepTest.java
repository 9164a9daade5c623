package io.idlalayer.middleware.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.capacity.LayerLoad.Kind;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SteadyStepTest {
  private static final DeviceSpeed DRAM = DeviceSpeed.symmetric(15e9, 100);
  private static final long MIB = 1L << 20;

  /** Two layers: x of 4 MiB, y of 2 MiB and z of 1 MiB, with their errors. */
  private static TaskGraph layers() {
    List<Tensor> tensors =
        List.of(
            new Tensor("w0", 3 * MIB, TensorKind.PARAMETER, true),
            new Tensor("w1", MIB, TensorKind.PARAMETER, true),
            new Tensor("x", 4 * MIB, TensorKind.INPUT, false),
            new Tensor("y", 2 * MIB, TensorKind.INTERMEDIATE, false),
            new Tensor("z", MIB, TensorKind.INTERMEDIATE, false),
            new Tensor("dz", MIB, TensorKind.INTERMEDIATE, false),
            new Tensor("dy", 2 * MIB, TensorKind.INTERMEDIATE, false));
    List<Kernel> kernels =
        List.of(
            new Kernel("fill", List.of(), List.of(2), 1_000_000),
            new Kernel("f0", List.of(2, 0), List.of(3), 2_000_000).of(Phase.FORWARD, 0),
            new Kernel("f1", List.of(3, 1), List.of(4), 3_000_000).of(Phase.FORWARD, 1),
            new Kernel("loss", List.of(4), List.of(5), 1_000_000).of(Phase.BACKWARD, 1),
            new Kernel("b1", List.of(5, 3, 1), List.of(6), 4_000_000).of(Phase.BACKWARD, 1),
            new Kernel("b0", List.of(6, 2), List.of(0), 5_000_000).of(Phase.BACKWARD, 0),
            new Kernel("update", List.of(1), List.of(1), 500_000).of(Phase.UPDATE, 1));
    return new TaskGraph(kernels, tensors);
  }

  private static SteadyStep step() {
    return new SteadyStep(layers(), DRAM, DeviceSpeed.slowerThan(DRAM));
  }

  @Test
  void under_enoughMemory_takesTheTimeOfItsKernels() throws Exception {
    SteadyStep step = step();
    assertThat(step.fastSeconds()).isCloseTo(16.5e-3, within(1e-12));
    SteadyStep.Cost cost =
        step.under(PlacementName.CACHED_ARRAYS.unplanned(), 2 * layers().peakBytes()).orElseThrow();
    assertThat(cost.seconds()).isCloseTo(16.5e-3, within(1e-6));
    assertThat(cost.slowBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 4, 8, 10})
  void under_lessMemory_isSlowerThanTheBound(long mebibytes) throws Exception {
    SteadyStep step = step();
    SteadyStep.Cost cost =
        step.under(PlacementName.CACHED_ARRAYS.unplanned(), mebibytes * MIB).orElseThrow();
    assertThat(cost.slowBytes()).isPositive();
    assertThat(step.boundSeconds(mebibytes * MIB)).isBetween(step.fastSeconds(), cost.seconds());
    SteadyStep.Cost again =
        step.under(PlacementName.CACHED_ARRAYS.unplanned(), mebibytes * MIB).orElseThrow();
    assertThat(again).isEqualTo(cost);
  }

  /** Plans are rehearsed as steps are run here, so the best of them is not slower. */
  @ParameterizedTest
  @ValueSource(longs = {4, 8, 10})
  void under_auto_isNotSlowerThanCachedArrays(long mebibytes) throws Exception {
    try (PlanDesk desk = PlanDesk.on(Runnable::run, null, System::nanoTime)) {
      double auto =
          step().under(PlacementName.AUTO.create(desk), mebibytes * MIB).orElseThrow().seconds();
      double usual =
          step()
              .under(PlacementName.CACHED_ARRAYS.unplanned(), mebibytes * MIB)
              .orElseThrow()
              .seconds();
      assertThat(auto).isBetween(step().boundSeconds(mebibytes * MIB), usual * (1 + 1e-9));
    }
  }

  @Test
  void under_noPlaceForItsTensors_isEmpty() throws Exception {
    assertThat(step().under(PlacementName.ALL_FAST.unplanned(), 8 * MIB)).isEmpty();
  }

  /** What layer 1 used last in the forward pass and the backward pass needs is y; of layer 0 x. */
  @Test
  void graphLayers_ofARecordedStep_haveItsTimesAndBytes() {
    GraphLayers found = GraphLayers.of(layers());
    assertThat(found.otherSeconds()).isCloseTo(1.5e-3, within(1e-12));
    assertThat(found.layers()).hasSize(2);
    LayerLoad first = found.layers().get(0);
    assertThat(first.kind()).isEqualTo(Kind.WEIGHTED);
    assertThat(first.forwardSeconds()).isCloseTo(2e-3, within(1e-12));
    assertThat(first.backwardSeconds()).isCloseTo(5e-3, within(1e-12));
    assertThat(first.inputBytes()).isEqualTo(4 * MIB);
    assertThat(first.weightBytes()).isEqualTo(3 * MIB);
    LayerLoad second = found.layers().get(1);
    assertThat(second.backwardSeconds()).isCloseTo(5e-3, within(1e-12));
    assertThat(second.inputBytes()).isEqualTo(3 * MIB);
    assertThat(second.outputBytes()).isEqualTo(MIB);
    assertThat(second.weightBytes()).isEqualTo(MIB);
  }

  @Test
  void graphLayers_onANode_takeAtLeastTheirKernels() throws Exception {
    GraphLayers found = GraphLayers.of(layers());
    Interconnect links = new Interconnect(2, 1L << 30, 1, 1.25e9, 20e-6, 4096, 15e9);
    double alone = found.secondsOn(Topology.unlimited("one", withDevices(links, 1)));
    assertThat(alone).isCloseTo(step().fastSeconds(), within(1e-9));
    for (Topology topology : Topology.values()) {
      for (PagePlacement placement : PagePlacement.values()) {
        double together = found.secondsOn(topology.system(links, placement, false));
        assertThat(together).as(topology.title()).isGreaterThan(alone);
      }
    }
  }

  private static Interconnect withDevices(Interconnect links, int devices) {
    return new Interconnect(
        devices,
        links.deviceBytes(),
        links.links(),
        links.linkBytesPerSecond(),
        links.linkLatencySeconds(),
        links.chunkBytes(),
        links.memoryNodeBytesPerSecond());
  }
}
