package io.idlalayer.middleware.placement.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Lifetimes;
import io.idlalayer.middleware.placement.api.TaskGraph.PlacementNanos;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskGraphTest {
  private static final Tensor WEIGHTS = new Tensor("w", 10, TensorKind.PARAMETER, true);
  private static final Tensor INPUT = new Tensor("x", 20, TensorKind.INPUT, false);
  private static final Tensor HIDDEN = new Tensor("h", 40, TensorKind.INTERMEDIATE, false);
  private static final List<Tensor> TENSORS = List.of(WEIGHTS, INPUT, HIDDEN);

  private static Kernel kernel(List<Integer> reads, List<Integer> writes) {
    return new Kernel("k", reads, writes, 5);
  }

  private static Kernel kernel(int reads, Lifetimes lifetimes) {
    return new Kernel("k", List.of(reads), List.of(), lifetimes, 5, List.of(), null);
  }

  @Test
  void lifetimesThatAreLeftOut_areFound() {
    TaskGraph graph =
        new TaskGraph(
            List.of(
                kernel(List.of(0, 1), List.of(2)),
                kernel(List.of(0), List.of()),
                kernel(List.of(2), List.of(0))),
            TENSORS);
    assertThat(graph.kernels().get(0).lifetimes())
        .isEqualTo(new Lifetimes(List.of(1, 2), List.of(), List.of(1)));
    assertThat(graph.kernels().get(2).lifetimes().retires()).containsExactly(2);
    assertThat(graph.creator(0)).isEqualTo(-1);
    assertThat(graph.creator(2)).isZero();
    assertThat(graph.producer(0)).isEqualTo(2);
    assertThat(graph.users(0)).containsExactly(0, 1, 2);
    assertThat(graph.lastUse(1)).isZero();
    assertThat(graph.lastingBytes()).isEqualTo(10);
    assertThat(List.of(graph.liveBytes(0), graph.liveBytes(1), graph.liveBytes(2)))
        .containsExactly(70L, 50L, 50L);
    assertThat(graph.peakBytes()).isEqualTo(70);
    assertThat(graph.largestKernelBytes()).isEqualTo(70);
    assertThat(graph.argumentBytes(1)).isEqualTo(10);
    assertThat(graph.fastNanos()).isEqualTo(15);
    assertThat(new TaskGraph(graph.kernels(), TENSORS)).isEqualTo(graph);
  }

  @Test
  void then_joinsTwoSteps_whichShareTheirFirstTensors() {
    TaskGraph one =
        new TaskGraph(
            List.of(kernel(List.of(0, 1), List.of(2)), kernel(List.of(2), List.of(0))), TENSORS);
    TaskGraph both = one.then(one, 1);
    assertThat(both.kernels()).hasSize(4);
    assertThat(both.tensors()).hasSize(5);
    assertThat(both.kernels().get(2).reads()).containsExactly(0, 3);
    assertThat(both.kernels().get(2).writes()).containsExactly(4);
    assertThat(both.kernels().get(3).lifetimes().retires()).containsExactly(4);
    assertThat(both.lastingBytes()).isEqualTo(one.lastingBytes());
    assertThat(both.peakBytes()).as("nothing of the first one is left").isEqualTo(one.peakBytes());
  }

  @Test
  void tensorsThatNoKernelUses_areKept() {
    TaskGraph graph = new TaskGraph(List.of(), TENSORS);
    assertThat(graph.lastUse(2)).isEqualTo(-1);
    assertThat(graph.peakBytes()).isEqualTo(70);
    assertThat(graph.largestKernelBytes()).isZero();
  }

  private static void refused(String message, Kernel... kernels) {
    assertThatThrownBy(() -> new TaskGraph(List.of(kernels), TENSORS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void graphsThatCannotBe_areRefused() {
    refused("tensor 3; there are 3", kernel(List.of(3), List.of()));
    refused("reads tensor h before it is written", kernel(List.of(2), List.of()));
    Lifetimes creates = new Lifetimes(List.of(1), List.of(), List.of());
    refused("tensor x is created twice", kernel(1, creates), kernel(1, creates));
    refused(
        "tensor x is created by a kernel that is not the first",
        kernel(List.of(1), List.of()),
        kernel(1, creates));
    Lifetimes retires = new Lifetimes(List.of(), List.of(), List.of(1));
    refused("tensor x was retired before", kernel(1, retires), kernel(List.of(1), List.of()));
    assertThatThrownBy(() -> new PlacementNanos(List.of(), -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(new PlacementNanos(List.of(3, 1, 3), 0).slow()).containsExactly(1, 3);
  }

  @Test
  void aDivisionOfOtherArguments_isRefused() {
    Division two = new Division(List.of(new Division.Section(10, List.of(1, 1))));
    Division short1 = new Division(List.of(new Division.Section(9, List.of(1))));
    for (Division division : List.of(two, short1)) {
      Kernel kernel =
          new Kernel("k", List.of(0), List.of(0), Lifetimes.NONE, 5, List.of(), division);
      assertThatThrownBy(() -> new TaskGraph(List.of(kernel), TENSORS))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("kernel k");
    }
  }

  @Test
  void timed_otherTimes_changesNothingElse() {
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new TaskGraph.Kernel("a", List.of(), List.of(0), 1),
                new TaskGraph.Kernel("b", List.of(0), List.of(), 2)),
            List.of(new TaskGraph.Tensor("x", 8, TaskGraph.TensorKind.INTERMEDIATE, false)));
    TaskGraph timed = graph.timed(new long[] {30, 40});
    assertThat(timed.fastNanos()).isEqualTo(70);
    assertThat(timed.timed(new long[] {1, 2})).isEqualTo(graph);
    assertThatThrownBy(() -> graph.timed(new long[] {1}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 times were given for 2 kernels");
  }
}
