package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Steps under a plan that wants a tensor where an object of others is in use. */
class BlockedOffsetTest {
  private static final int STEPS = 6;

  private static final TaskGraph STEP =
      new TaskGraph(
          List.of(new TaskGraph.Kernel("a", List.of(0), List.of(), 10)),
          List.of(new TaskGraph.Tensor("w", 40, TaskGraph.TensorKind.PARAMETER, false)));

  @Test
  void step_pinnedObjectAtTheOffset_copiesTheTensorInTheFirstStepsOnly()
      throws InterruptedException {
    TieredMemory memory = Tiers.of(200, 1000);
    MemObject blocker = Tiers.make(memory, Tiers.FAST, 40);
    memory.pin(blocker);
    assertThat(blocker.primary().offset()).isZero();
    PlacementPlan plan =
        new PlacementPlan(
            Map.of(0, List.of(new Move(Kind.FETCH, 0, Reason.PREFETCH, 0))), Map.of());
    PlannedPolicy policy =
        new PlannedPolicy("planned", (step, view) -> plan, new ImprovedPolicy("planned"));
    List<Long> evictions = new ArrayList<>();
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(STEP, placed, true, true)) {
      for (int step = 0; step < STEPS; step++) {
        replay.step();
        evictions.add(placed.stats().policy().evictions());
      }
      memory.unpin(blocker);
    }
    assertThat(evictions).containsExactly(1L, 2L, 3L, 4L, 4L, 4L);
  }
}
