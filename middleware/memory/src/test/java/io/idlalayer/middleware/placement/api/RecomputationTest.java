package io.idlalayer.middleware.placement.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecomputationTest {
  private static final int X = 0;
  private static final int W = 1;
  private static final int Y = 2;
  private static final int Z = 3;
  private static final int E = 4;

  /** Kernels: 0 product, 1 activation in place, 2 next, 3 loss, 4 backward, 5 update. */
  private static final TaskGraph STEP =
      new TaskGraph(
          List.of(
              new Kernel("product", List.of(X, W), List.of(Y), 1).repeatable(true),
              new Kernel("activation", List.of(Y), List.of(Y), 2).repeatable(true),
              new Kernel("next", List.of(Y), List.of(Z), 3).repeatable(true),
              new Kernel("loss", List.of(Z), List.of(E), 4),
              new Kernel("backward", List.of(X, Y, E), List.of(E), 5),
              new Kernel("update", List.of(E), List.of(W), 6)),
          List.of(
              new Tensor("x", 8, TensorKind.PARAMETER, false),
              new Tensor("w", 8, TensorKind.PARAMETER, true),
              new Tensor("y", 64, TensorKind.INTERMEDIATE, true),
              new Tensor("z", 16, TensorKind.INTERMEDIATE, false),
              new Tensor("e", 16, TensorKind.INTERMEDIATE, true)));

  private static RecomputedStep again(List<Integer> kernels, int before) {
    return new Recomputation(List.of(new Rerun(kernels, before))).appliedTo(STEP);
  }

  @Test
  void tensorChangedInPlace_isComputedAgainByAllItsKernels() {
    RecomputedStep step = again(List.of(0, 1), 4);
    assertThat(step.kernels()).containsExactly(0, 1, 2, 3, 0, 1, 4, 5);
    assertThat(step.again()).containsExactly(false, false, false, false, true, true, false, false);
    assertThat(step.tensors()).containsExactly(X, W, Y, Z, E, Y);
    TaskGraph graph = step.graph();
    assertThat(graph.tensors().get(5))
        .isEqualTo(new Tensor("y again", 64, TensorKind.INTERMEDIATE, true));
    assertThat(graph.kernels().get(2).lifetimes().retires()).containsExactly(Y);
    assertThat(graph.kernels().get(4).name()).isEqualTo("again product");
    assertThat(graph.kernels().get(4).lifetimes().creates()).containsExactly(5);
    assertThat(graph.kernels().get(6).reads()).containsExactly(X, 5, E);
    assertThat(graph.kernels().get(6).lifetimes().retires()).contains(5);
    assertThat(graph.fastNanos()).isEqualTo(STEP.fastNanos() + 3);
    // While the loss is computed, y is not there.
    assertThat(graph.liveBytes()[3]).isEqualTo(STEP.liveBytes()[3] - 64);
    StepContents.assertEqualContents(STEP, step);
  }

  @Test
  void onlySomeOfTheKernelsThatWroteATensor_areRefused() {
    assertThatThrownBy(() -> again(List.of(0), 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "kernel backward would find other contents in tensor y than in the step without"
                + " reruns");
    assertThatThrownBy(() -> again(List.of(1), 4))
        .hasMessage(
            "kernel activation, run again before kernel backward, would find other contents in"
                + " tensor y than in the step without reruns");
  }

  @Test
  void kernelThatIsNotRepeatable_isRefused() {
    assertThatThrownBy(() -> again(List.of(3), 5))
        .hasMessage("kernel loss cannot be run again before kernel update: it is not repeatable");
  }

  @Test
  void changedParameter_makesAKernelUnrepeatable() {
    TaskGraph longer =
        new TaskGraph(
            List.of(
                new Kernel("product", List.of(X, W), List.of(Y), 1).repeatable(true),
                new Kernel("update", List.of(Y), List.of(W), 1),
                new Kernel("backward", List.of(Y), List.of(W), 1)),
            STEP.tensors());
    Recomputation recomputation = new Recomputation(List.of(new Rerun(List.of(0), 2)));
    assertThatThrownBy(() -> recomputation.appliedTo(longer))
        .hasMessageContaining("would find other contents in tensor w");
  }

  @Test
  void wrongReruns_areRefused() {
    assertThatThrownBy(() -> new Rerun(List.of(), 3)).hasMessageContaining("before kernel 3");
    assertThatThrownBy(() -> new Rerun(List.of(1, 0), 3)).hasMessageContaining("must ascend");
    assertThatThrownBy(() -> new Rerun(List.of(3), 3)).hasMessageContaining("be before it");
    Rerun late = new Rerun(List.of(0), 4);
    Rerun early = new Rerun(List.of(0), 3);
    assertThatThrownBy(() -> new Recomputation(List.of(late, early)))
        .hasMessageContaining("earlier ones come first");
    assertThatThrownBy(() -> again(List.of(0), 6)).hasMessageContaining("the step has 6");
    assertThat(Recomputation.NONE.appliedTo(STEP).graph()).isSameAs(STEP);
    assertThat(Recomputation.NONE.appliedTo(STEP).recomputes()).isFalse();
  }
}
