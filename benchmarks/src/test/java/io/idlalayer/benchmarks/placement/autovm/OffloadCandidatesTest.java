package io.idlalayer.benchmarks.placement.autovm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.placement.autovm.OffloadCandidates.Candidate;
import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class OffloadCandidatesTest {
  private static final TaskGraph STEP =
      ExampleNet.step(new long[] {40, 40, 20, 20, 10, 10}, new long[0]);

  @Test
  void of_exampleOfTheSource_leavesAfterTheLastForwardConsumer() {
    List<Candidate> candidates = OffloadCandidates.of(STEP, 1, 0);
    // Those that are used first again come first: y6 down to y1.
    assertThat(candidates).extracting(Candidate::tensor).containsExactly(5, 6, 4, 3, 2, 1);
    assertThat(candidates)
        .filteredOn(each -> each.tensor() < 6)
        .extracting(Candidate::reuseDistance)
        .containsExactly(0, 2, 4, 6, 8);
    assertThat(candidates)
        .filteredOn(each -> each.tensor() == 1)
        .containsExactly(new Candidate(1, 40, 1, 10));
  }

  @Test
  void of_thresholds_keepWhatIsNearOrSmall() {
    assertThat(OffloadCandidates.of(STEP, 1, 2))
        .extracting(Candidate::tensor)
        .containsExactly(4, 3, 2, 1);
    assertThat(OffloadCandidates.of(STEP, 30, 2))
        .extracting(Candidate::tensor)
        .containsExactly(2, 1);
    assertThat(OffloadCandidates.of(STEP, 41, 0)).isEmpty();
  }

  @Test
  void of_skipConnection_leavesAfterItsLastForwardUser() {
    List<Tensor> tensors =
        List.of(
            new Tensor("x", 8, TensorKind.INPUT, false),
            new Tensor("skip", 8, TensorKind.INTERMEDIATE, false),
            new Tensor("y", 8, TensorKind.INTERMEDIATE, false),
            new Tensor("sum", 8, TensorKind.INTERMEDIATE, false));
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new Kernel("a", List.of(0), List.of(1), 1).of(Phase.FORWARD, 0),
                new Kernel("b", List.of(1), List.of(2), 1).of(Phase.FORWARD, 1),
                new Kernel("add", List.of(1, 2), List.of(3), 1).of(Phase.FORWARD, 2),
                new Kernel("d add", List.of(3), List.of(), 1).of(Phase.BACKWARD, 2),
                new Kernel("d b", List.of(1, 2), List.of(), 1).of(Phase.BACKWARD, 1)),
            tensors);
    assertThat(OffloadCandidates.of(graph, 1, 0))
        .filteredOn(each -> each.tensor() == 1)
        .containsExactly(new Candidate(1, 8, 2, 4));
  }
}
