package io.idlalayer.benchmarks.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.idlalayer.benchmarks.trace.RecordedTimes;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForwardingPlacementPolicyTest {
  /** A default method that is added to the port must not be swallowed. */
  @Test
  void everyMethodOfThePort_isPassedOn() {
    for (Method method : PlacementPolicy.class.getMethods()) {
      assertThatCode(
              () ->
                  ForwardingPlacementPolicy.class.getDeclaredMethod(
                      method.getName(), method.getParameterTypes()))
          .as(method.toString())
          .doesNotThrowAnyException();
    }
  }

  @Test
  void recordedTimes_holdForRecordedKernels_andOthersTakeWhatTheySay() throws Exception {
    TaskGraph graph = new TaskGraph(List.of(new Kernel("a", List.of(), List.of(), 700)), List.of());
    VirtualClock clock = new VirtualClock();
    TieredMemory memory = Tiers.of(1024, 1024, clock);
    PlacementPolicy policy = new RecordedTimes(ComparedPolicy.ALL_FAST.create(), graph);
    assertThat(policy.name()).isEqualTo("all-fast");
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory))) {
      placed.run(new KernelEvent(0, "a", List.of(), List.of()), arguments -> {});
      assertThat(clock.nanos()).isEqualTo(700);
      placed.run(new KernelEvent(0, "b", List.of(), List.of(), 20), arguments -> {});
      placed.run(new KernelEvent(1, "a", List.of(), List.of(), 3), arguments -> {});
      assertThat(clock.nanos()).isEqualTo(723);
      placed.run(new KernelEvent(2, "a", List.of(), List.of()), arguments -> {});
      assertThat(clock.nanos()).isEqualTo(724);
    }
  }
}
