package io.idlalayer.middleware.placement.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Lifetimes;
import io.idlalayer.middleware.placement.api.TaskGraph.PlacementNanos;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.trace.KernelTrace.Use;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TraceRecorderTest {
  private static final Division DIVISION =
      new Division(List.of(new Division.Section(100, List.of(2, 3))));

  private static PlacedMemory placed(PlacementPolicy policy) {
    TieredMemory memory = Tiers.of(4096, 4096);
    return new PlacedMemory(memory, policy, PolicyEnvironment.of(memory, new SplittableRandom(1)));
  }

  /** Two kernels: an activation is made of weights, then weights are changed by it. */
  private static void step(PlacedMemory memory, MemObject weights, TraceRecorder to, long nanos)
      throws InterruptedException {
    MemObject[] made = new MemObject[1];
    memory.run(
        new KernelEvent(0, "forward", List.of(weights), List.of()),
        arguments -> made[0] = arguments.create(new AllocationRequest(300, Hint.AUTO, 0)));
    MemObject activation = made[0];
    to.heard(
        new KernelTrace(
            0,
            0,
            "forward",
            List.of(
                new Use(weights, "w", TensorKind.PARAMETER, true, false, false),
                new Use(activation, "a", TensorKind.INTERMEDIATE, false, true, true)),
            List.of(),
            nanos,
            null));
    memory.softEvict(weights);
    memory.run(
        new KernelEvent(1, "update", List.of(weights, activation), List.of(weights)),
        arguments -> {});
    to.heard(
        new KernelTrace(
            0,
            1,
            "update",
            List.of(
                new Use(weights, "w", TensorKind.PARAMETER, true, true, false),
                new Use(activation, "a", TensorKind.INTERMEDIATE, true, false, false)),
            List.of(activation),
            2 * nanos,
            DIVISION));
    memory.retire(activation);
  }

  private static TaskGraph recorded(TraceRecorder recorder, PlacementName... policies)
      throws InterruptedException {
    for (PlacementName name : policies) {
      try (PlacedMemory memory = placed(recorder.around(name.create()))) {
        MemObject weights = memory.create(new AllocationRequest(200, Hint.AUTO));
        for (long nanos : new long[] {10, 30, 20}) {
          step(memory, weights, recorder, name == PlacementName.ALL_SLOW ? 5 * nanos : nanos);
        }
      }
    }
    return recorder.graph();
  }

  private static TaskGraph expected(List<PlacementNanos> first, List<PlacementNanos> second) {
    return new TaskGraph(
        List.of(
            new Kernel(
                "forward",
                List.of(0),
                List.of(1),
                new Lifetimes(List.of(1), List.of(0), List.of()),
                20,
                first,
                null),
            new Kernel(
                "update",
                List.of(0, 1),
                List.of(0),
                new Lifetimes(List.of(), List.of(), List.of(1)),
                40,
                second,
                DIVISION)),
        List.of(
            new Tensor("w", 200, TensorKind.PARAMETER, true),
            new Tensor("a", 300, TensorKind.INTERMEDIATE, false)));
  }

  @Test
  void steps_becomeAGraphWithMedianTimes() throws Exception {
    assertThat(recorded(new TraceRecorder(), PlacementName.ALL_FAST))
        .isEqualTo(expected(List.of(), List.of()));
  }

  @Test
  void otherPlacements_areKeptWithTheirTimes() throws Exception {
    PlacementNanos first = new PlacementNanos(List.of(0, 1), 100);
    PlacementNanos second = new PlacementNanos(List.of(0, 1), 200);
    assertThat(recorded(new TraceRecorder(), PlacementName.ALL_FAST, PlacementName.ALL_SLOW))
        .isEqualTo(expected(List.of(first), List.of(second)));
  }

  @Test
  void aStepThatDied_isNoneOfTheGraphs() throws Exception {
    TraceRecorder recorder = new TraceRecorder();
    try (PlacedMemory memory = placed(recorder.around(PlacementName.ALL_FAST.create()))) {
      MemObject weights = memory.create(new AllocationRequest(200, Hint.AUTO));
      step(memory, weights, recorder, 20);
      memory.run(new KernelEvent(0, "forward", List.of(weights), List.of()), arguments -> {});
      assertThatThrownBy(
              () -> recorder.heard(new KernelTrace(0, 1, "update", List.of(), List.of(), 1, null)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("update")
          .hasMessageContaining("waits for 0");
    }
    assertThat(recorder.graph()).isEqualTo(expected(List.of(), List.of()));
  }

  @Test
  void nothingHeard_isNoGraph() {
    assertThatThrownBy(() -> new TraceRecorder().graph()).isInstanceOf(IllegalStateException.class);
  }
}
