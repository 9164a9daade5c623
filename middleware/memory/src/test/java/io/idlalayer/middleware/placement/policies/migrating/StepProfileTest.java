package io.idlalayer.middleware.placement.policies.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepProfileTest {
  private static Tensor passing(String name, long bytes) {
    return new Tensor(name, bytes, TensorKind.INTERMEDIATE, true);
  }

  private static Kernel kernel(String name, List<Integer> reads, List<Integer> writes) {
    return new Kernel(name, reads, writes, 1);
  }

  /** The example of the source (figure 2.4): t2 is made by k2 and used by k4 and k6. */
  @Test
  void tensor_livesUntilItsLastConsumer() {
    StepProfile step =
        new StepProfile(
            new TaskGraph(
                List.of(
                    kernel("k1", List.of(), List.of(0)),
                    kernel("k2", List.of(0), List.of(1)),
                    kernel("k3", List.of(0), List.of(2)),
                    kernel("k4", List.of(1, 2), List.of(3)),
                    kernel("k5", List.of(3), List.of(4)),
                    kernel("k6", List.of(1, 4), List.of(5)),
                    kernel("k7", List.of(5), List.of())),
                List.of(
                    passing("t1", 1),
                    passing("t2", 100),
                    passing("t3", 1),
                    passing("t4", 1),
                    passing("t5", 1),
                    passing("t6", 1))));
    assertThat(step.lastConsumer(1)).isEqualTo(5);
    long[] live = step.liveBytes(false);
    assertThat(live[0]).isLessThan(100);
    for (int k = 1; k <= 5; k++) {
      assertThat(live[k]).as("kernel %d", k + 1).isGreaterThanOrEqualTo(100);
    }
    assertThat(live[6]).isLessThan(100);
  }

  @Test
  void tensor_ofOneLayer_isShortLived() {
    TaskGraph graph =
        new TaskGraph(
            List.of(
                kernel("conv", List.of(3), List.of(0)).of(Phase.FORWARD, 0),
                kernel("norm", List.of(0), List.of(1)).of(Phase.FORWARD, 0),
                kernel("next", List.of(1), List.of(2)).of(Phase.FORWARD, 1),
                kernel("next", List.of(2, 1), List.of()).of(Phase.BACKWARD, 1)),
            List.of(
                passing("within", 1),
                passing("across layers", 1),
                passing("forward and backward of one layer", 1),
                new Tensor("weights", 1, TensorKind.PARAMETER, true)));
    StepProfile step = new StepProfile(graph);
    assertThat(step.layers()).isEqualTo(3);
    assertThat(step.shortLived(0)).isTrue();
    assertThat(step.shortLived(1)).isFalse();
    assertThat(step.shortLived(2)).isFalse();
    assertThat(step.shortLived(3)).isFalse();
    assertThat(step.lasting(3)).isTrue();
    assertThat(Periods.uniform(step, 2).starts()).containsExactly(0, 3);
    assertThat(Periods.uniform(step, 9).starts()).containsExactly(0);
  }

  @Test
  void graph_withoutKernels_hasNoLayers() {
    StepProfile step = new StepProfile(new TaskGraph(List.of(), List.of()));
    assertThat(step.layers()).isZero();
    assertThat(Periods.uniform(step, 1).starts()).containsExactly(0);
    assertThat(step.liveBytes(true)).isEmpty();
  }
}
