package io.idlalayer.middleware.placement.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.engine.PlacementStats.ActionCost;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What policies are told of their actions. */
final class OutcomeTest {
  private static final int BYTES = 1 << 12;

  /** Fetches what a kernel uses, into space that is free. */
  private static final class Fetching implements PlacementPolicy {
    private final List<Outcome> outcomes = new ArrayList<>();

    @Override
    public String name() {
      return "fetching";
    }

    @Override
    public Placement place(AllocationRequest request, MemoryView view) {
      return Placement.of(Placement.FAST, Placement.SLOW);
    }

    @Override
    public List<Action> before(KernelEvent kernel, MemoryView view) {
      return kernel.arguments().stream()
          .filter(object -> !view.inFast(object))
          .<Action>map(object -> fetch(object, view.times().copyIn(object.bytes())))
          .toList();
    }

    private static Action.Fetch fetch(MemObject object, long nanos) {
      return new Action.Fetch(object, Room.FREE, false, Reason.ARGUMENT, nanos);
    }

    @Override
    public List<Action> done(Outcome outcome, MemoryView view) {
      outcomes.add(outcome);
      return List.of();
    }
  }

  @Test
  void done_namesTheKernelThatTheActionWasFor_andNoneOutsideOfKernels() throws Exception {
    Fetching policy = new Fetching();
    TieredMemory memory = Tiers.of(BYTES, 8 * BYTES);
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory))) {
      AllocationRequest request = new AllocationRequest(BYTES, Hint.AUTO);
      MemObject first = placed.create(request);
      MemObject second = placed.create(request);
      placed.retire(first);
      KernelEvent kernel = new KernelEvent(3, "reads", List.of(second), List.of());
      placed.run(kernel, arguments -> assertThat(arguments.bytes(second)).isNotNull());
      assertThat(policy.outcomes).hasSize(2);
      assertThat(policy.outcomes.get(0).action()).isInstanceOf(Action.Release.class);
      assertThat(policy.outcomes.get(0).kernel()).isNull();
      assertThat(policy.outcomes.get(1).action()).isInstanceOf(Action.Fetch.class);
      assertThat(policy.outcomes.get(1).kernel()).isSameAs(kernel);
    }
  }

  /** A virtual clock copies at the speed that is specified. */
  @Test
  void stats_ofReasons_sayWhatWasExpectedAndWhatItTook() throws Exception {
    TieredMemory memory = Tiers.of(BYTES, 8 * BYTES);
    try (PlacedMemory placed =
        new PlacedMemory(memory, new Fetching(), PolicyEnvironment.of(memory))) {
      AllocationRequest request = new AllocationRequest(BYTES, Hint.AUTO);
      MemObject fast = placed.create(request);
      MemObject slow = placed.create(request);
      placed.retire(fast);
      placed.run(
          new KernelEvent(3, "reads", List.of(slow), List.of()),
          arguments -> assertThat(arguments.bytes(slow)).isNotNull());
      Map<Reason, ActionCost> costs = placed.stats().actions();
      assertThat(costs.get(Reason.RETIRED)).isEqualTo(new ActionCost(1, 0, 0, 0));
      ActionCost fetch = costs.get(Reason.ARGUMENT);
      assertThat(fetch.done()).isOne();
      assertThat(fetch.nanos()).isPositive().isEqualTo(fetch.expectedNanos());
    }
  }
}
