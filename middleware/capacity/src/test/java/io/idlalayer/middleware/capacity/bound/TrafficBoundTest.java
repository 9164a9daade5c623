package io.idlalayer.middleware.capacity.bound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.capacity.bound.TrafficBound.Granularity;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrafficBoundTest {
  private static final Offset<Long> ROUNDING = Offset.offset(2L);

  private static long bound(TaskGraph graph, long budget) {
    return TrafficBound.bytes(graph, budget, Granularity.OBJECTS);
  }

  @Test
  void everythingFits_nothingMoves() {
    TaskGraph graph = RandomGraphs.chain(5, 100, 1000);
    assertThat(bound(graph, graph.peakBytes())).isZero();
    assertThat(TrafficBound.bytes(graph, graph.peakBytes(), Granularity.LINES)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {3000, 4000, 5000})
  void aChain_whatDoesNotFitLeavesAndComesBack(long budget) {
    TaskGraph graph = RandomGraphs.chain(6, 1, 1000);
    long missing = graph.peakBytes() - budget;
    assertThat(bound(graph, budget)).isCloseTo(2 * missing, Offset.offset(20L));
  }

  @Test
  void withoutFastMemory_everyUseCrosses() {
    TaskGraph graph = RandomGraphs.chain(3, 100, 1000);
    // Reads and writes of kernels: 3 + 2 inputs forward, 3 outputs; parameters twice and an update.
    long uses = 3 * 100 + 2 * 1000 + 3 * 1000 + 3 * (100 + 1000 + 100);
    assertThat(bound(graph, 0)).isCloseTo(uses, ROUNDING);
  }

  @Test
  void whatIsOverwritten_needNotBeKept() {
    Tensor scratch = new Tensor("scratch", 1000, TensorKind.GRADIENT, true);
    Tensor big = new Tensor("big", 1000, TensorKind.INTERMEDIATE, false);
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new Kernel("write", List.of(), List.of(0), 1),
                new Kernel("read", List.of(0), List.of(), 1),
                new Kernel("make", List.of(), List.of(1), 1),
                new Kernel("use", List.of(1), List.of(), 1)),
            List.of(scratch, big));
    assertThat(bound(graph, 1000)).isZero();
  }

  @Test
  void whatIsOnlyRead_isFetchedButNeverWrittenBack() {
    Tensor table = new Tensor("table", 1000, TensorKind.PARAMETER, false);
    Tensor big = new Tensor("big", 1000, TensorKind.INTERMEDIATE, false);
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new Kernel("look up", List.of(0), List.of(), 1),
                new Kernel("make", List.of(), List.of(1), 1),
                new Kernel("use", List.of(1), List.of(), 1)),
            List.of(table, big));
    assertThat(bound(graph, 1000)).isCloseTo(1000, ROUNDING);
  }

  @Test
  void lines_mayLeaveWhileAKernelRuns() {
    Tensor in = new Tensor("in", 1000, TensorKind.INTERMEDIATE, false);
    Tensor out = new Tensor("out", 1000, TensorKind.INTERMEDIATE, false);
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new Kernel("make", List.of(), List.of(0), 1),
                new Kernel("turn", List.of(0), List.of(1), 1),
                new Kernel("use", List.of(1), List.of(), 1)),
            List.of(in, out));
    assertThat(TrafficBound.bytes(graph, 1000, Granularity.LINES)).isZero();
    assertThat(bound(graph, 1000)).isCloseTo(2000, ROUNDING);
  }

  @Test
  void time_isThatOfTheKernelsIfNothingMoves() {
    TaskGraph graph = RandomGraphs.chain(4, 100, 1000);
    DeviceSpeed slow = DeviceSpeed.slowerThan(DeviceSpeed.symmetric(1e9, 0));
    assertThat(TrafficBound.nanos(graph, graph.peakBytes(), slow, TierModel.DEFAULT))
        .isEqualTo(graph.fastNanos())
        .isEqualTo(4 * 1000 + 4 * 2000);
    DeviceSpeed crawling = DeviceSpeed.symmetric(1e3, 0);
    assertThat(TrafficBound.nanos(graph, 2000, crawling, TierModel.DEFAULT))
        .isGreaterThan(100 * graph.fastNanos());
  }

  @Test
  void noKernels_andNegativeBudgets() {
    TaskGraph empty = new TaskGraph(List.of(), List.of());
    assertThat(bound(empty, 0)).isZero();
    assertThatThrownBy(() -> bound(empty, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }
}
