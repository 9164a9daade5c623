package io.idlalayer.middleware.placement.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.WatchedPolicy;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.trace.RandomGraphs.Sizes;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import org.jspecify.annotations.Nullable;

/** Steps with divisible kernels, replayed byte by byte and without bytes. */
public abstract class PieceReplayContract {
  private static final int STEPS = 3;
  private static final long SLOW_BYTES = 1 << 16;

  /** The policies to try. */
  protected abstract List<PolicyCase> policies();

  /** Counts what only buffers are asked for with. */
  private static final class BufferCounter implements PlacementPolicy {
    int buffers;

    @Override
    public String name() {
      return "buffers";
    }

    @Override
    public Placement place(AllocationRequest request, MemoryView view) {
      return Placement.of(Placement.SLOW);
    }

    @Override
    public List<Action> placed(
        MemObject object,
        AllocationRequest request,
        @Nullable KernelEvent kernel,
        MemoryView view) {
      buffers += request.hint() == Hint.FAST && view.inFast(object) ? 1 : 0;
      return List.of();
    }
  }

  @Property(tries = 30)
  void replay_underEveryPolicy_keepsAllBytes(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int budgetUnits, @ForAll boolean odd)
      throws InterruptedException {
    Sizes sizes = odd ? new Sizes(1, 900) : new Sizes(64, 12);
    TaskGraph graph = RandomGraphs.inPieces(RandomGraphs.any(seed, 8, 6, sizes), seed);
    for (PolicyCase policy : policies()) {
      long budget = policy.allFast() ? SLOW_BYTES : 64L * budgetUnits;
      BufferCounter real = new BufferCounter();
      BufferCounter hollow = new BufferCounter();
      assertThat(replay(graph, WatchedPolicy.of(policy.create(), hollow), budget, false, odd))
          .as(policy.name())
          .isEqualTo(replay(graph, WatchedPolicy.of(policy.create(), real), budget, true, odd));
      assertThat(hollow.buffers).isEqualTo(real.buffers);
      if (policy.name().equals(PlacementName.CACHED_ARRAYS.key())) {
        Statistics.label("in buffers").collect(real.buffers > 0);
        Statistics.label("in buffers").coverage(all -> all.check(true).count(seen -> seen > 3));
      } else if (!leavesKernelsToCachedArrays(policy.name())) {
        assertThat(real.buffers).as(policy.name()).isZero();
      }
    }
  }

  /** Policies that follow plans or migrate leave divisible kernels to {@code cached-arrays}. */
  private static boolean leavesKernelsToCachedArrays(String policy) {
    return policy.startsWith("auto") || policy.startsWith("redl");
  }

  private static Arena arena(DeviceSpec spec, boolean contents) {
    return contents ? new DirectArena(spec) : new HollowArena(spec);
  }

  private static PlacementStats replay(
      TaskGraph graph, PlacementPolicy policy, long budget, boolean contents, boolean announced)
      throws InterruptedException {
    DeviceSpec fast = Tiers.fast(budget);
    DeviceSpec slow = Tiers.slow(SLOW_BYTES);
    VirtualClock clock = new VirtualClock();
    TieredMemory memory =
        new TieredMemory(
            List.of(
                new TieredMemory.Tier(fast, arena(fast, contents)),
                new TieredMemory.Tier(slow, arena(slow, contents))),
            new MemorySettings(4, 512, Tiers.PATIENCE.toNanos(), false),
            clock);
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(graph, placed, contents, announced)) {
      long start = clock.nanos();
      for (int i = 0; i < STEPS; i++) {
        replay.step();
      }
      assertThat(clock.nanos() - start).isGreaterThanOrEqualTo(STEPS * graph.fastNanos());
      VerifyReport report = memory.verify(contents);
      assertThat(report.problems()).isEmpty();
      assertThat(report.regionsInFlight()).isZero();
      assertThat(placed.stats().fast().highWaterBytes()).isLessThanOrEqualTo(budget);
      return placed.stats();
    }
  }
}
