package io.idlalayer.middleware.placement.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.ForwardingPlacementPolicy;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What policies are told of their actions. */
final class OutcomeTest {
  private static final int BYTES = 1 << 12;

  private static final class Listening extends ForwardingPlacementPolicy {
    private final List<Outcome> outcomes = new ArrayList<>();

    Listening() {
      super(PlacementName.CACHED_ARRAYS_LMP.create());
    }

    @Override
    public List<Action> done(Outcome outcome, MemoryView view) {
      outcomes.add(outcome);
      return super.done(outcome, view);
    }
  }

  @Test
  void done_namesTheKernelThatTheActionWasFor_andNoneOutsideOfKernels() throws Exception {
    Listening policy = new Listening();
    TieredMemory memory = Tiers.of(BYTES, 8 * BYTES);
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory))) {
      AllocationRequest request = new AllocationRequest(BYTES, Hint.AUTO);
      MemObject first = placed.create(request);
      MemObject second = placed.create(request);
      KernelEvent kernel = new KernelEvent(3, "reads", List.of(first), List.of());
      placed.run(kernel, arguments -> assertThat(arguments.bytes(first)).isNotNull());
      placed.retire(second);
      assertThat(policy.outcomes).hasSize(2);
      assertThat(policy.outcomes.get(0).action()).isInstanceOf(Action.Fetch.class);
      assertThat(policy.outcomes.get(0).kernel()).isSameAs(kernel);
      assertThat(policy.outcomes.get(1).action()).isInstanceOf(Action.Release.class);
      assertThat(policy.outcomes.get(1).kernel()).isNull();
    }
  }

  /** A virtual clock copies at the speed that is specified. */
  @Test
  void stats_ofReasons_sayWhatWasExpectedAndWhatItTook() throws Exception {
    TieredMemory memory = Tiers.of(BYTES, 8 * BYTES);
    try (PlacedMemory placed =
        new PlacedMemory(
            memory, PlacementName.CACHED_ARRAYS_LMP.create(), PolicyEnvironment.of(memory))) {
      AllocationRequest request = new AllocationRequest(BYTES, Hint.AUTO);
      MemObject first = placed.create(request);
      // Drives the first one out, and leaves it room to come back.
      placed.retire(placed.create(request));
      placed.run(
          new KernelEvent(3, "reads", List.of(first), List.of()),
          arguments -> assertThat(arguments.bytes(first)).isNotNull());
      Map<Reason, ActionCost> costs = placed.stats().actions();
      assertThat(costs.get(Reason.RETIRED)).isEqualTo(new ActionCost(1, 0, 0, 0));
      ActionCost fetch = costs.get(Reason.ARGUMENT);
      assertThat(fetch.done()).isOne();
      assertThat(fetch.nanos()).isPositive().isEqualTo(fetch.expectedNanos());
    }
  }
}
