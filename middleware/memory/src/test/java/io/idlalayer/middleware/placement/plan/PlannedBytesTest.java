package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.StepCurve;
import io.idlalayer.middleware.placement.api.StepCurve.Point;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import io.idlalayer.middleware.placement.trace.HollowArena;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The curve of a plan on paper against what the engine does with it. */
class PlannedBytesTest {
  private static final int UNIT = 64;

  /** Does what the plan says and nothing else, and notes what the devices hold. */
  private static final class OnlyThePlan implements PlacementPolicy {
    private final TaskGraph graph;
    private final PlannedPolicy planned;
    private List<Long> occupied = new ArrayList<>();
    private long evicted;
    private long fetched;
    private long writtenBack;

    OnlyThePlan(TaskGraph graph, PlacementPlan plan) {
      this.graph = graph;
      planned =
          new PlannedPolicy(
              "planned",
              (step, view) -> plan,
              new PlacementPolicy() {
                @Override
                public String name() {
                  return "nothing";
                }

                @Override
                public Placement place(AllocationRequest request, MemoryView view) {
                  return Placement.of(Placement.FAST, Placement.SLOW);
                }
              });
    }

    void nextStep() {
      occupied = new ArrayList<>();
      evicted = 0;
      fetched = 0;
      writtenBack = 0;
    }

    @Override
    public String name() {
      return "only the plan";
    }

    @Override
    public Recomputation recomputation(TaskGraph step, MemoryView view) {
      return planned.recomputation(step, view);
    }

    @Override
    public void beginStep(TaskGraph step, MemoryView view) {
      planned.beginStep(step, view);
    }

    @Override
    public Placement place(AllocationRequest request, MemoryView view) {
      return planned.place(request, view);
    }

    @Override
    public List<Action> before(KernelEvent kernel, MemoryView view) {
      return planned.before(kernel, view);
    }

    @Override
    public List<Action> done(Outcome outcome, MemoryView view) {
      long bytes = bytes(outcome.action());
      if (outcome.succeeded()) {
        fetched += outcome.action() instanceof Action.Fetch ? bytes : 0;
        evicted += outcome.action() instanceof Action.Evict ? bytes : 0;
        writtenBack += outcome.action() instanceof Action.WriteBack ? bytes : 0;
      }
      return planned.done(outcome, view);
    }

    private static long bytes(Action action) {
      MemObject object =
          action instanceof Action.Fetch fetch
              ? fetch.object()
              : action instanceof Action.Evict evict
                  ? evict.object()
                  : action instanceof Action.WriteBack back ? back.object() : null;
      return object == null ? 0 : (object.bytes() + UNIT - 1) / UNIT * UNIT;
    }

    /** Called while the kernel has its leases: all that it creates exists. */
    @Override
    public long kernelNanos(KernelEvent kernel, long fastNanos, MemoryView view) {
      if (view.stepKnown() && occupied.size() < graph.kernels().size()) {
        occupied.add(view.fast().occupiedBytes());
      }
      return planned.kernelNanos(kernel, fastNanos, view);
    }

    @Override
    public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
      return planned.after(kernel, nanos, view);
    }

    @Override
    public List<Action> endOfStep(MemoryView view) {
      return planned.endOfStep(view);
    }
  }

  private static void assertReplayed(TaskGraph graph, PlacementPlan plan, PlanDevices devices)
      throws InterruptedException {
    // The plan's own budget is too small for space that is scattered, which is not tested here.
    TieredMemory memory =
        new TieredMemory(
            List.of(
                tier("fast", DeviceKind.FAST, 2 * graph.peakBytes(), devices.times().fast()),
                tier("slow", DeviceKind.SLOW, 2 * graph.peakBytes(), devices.times().slow())),
            MemorySettings.DEFAULT,
            new VirtualClock());
    OnlyThePlan policy = new OnlyThePlan(graph, plan);
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(graph, placed, false, true)) {
      for (int step = 0; step < 3; step++) {
        policy.nextStep();
        replay.step();
      }
      StepCurve curve = PlannedBytes.curve(graph, plan, devices.fastBytes(), UNIT);
      assertThat(curve.points().stream().map(Point::fastBytes).toList()).isEqualTo(policy.occupied);
      assertThat(curve.points().stream().mapToLong(Point::fetchedBytes).sum())
          .isEqualTo(policy.fetched);
      assertThat(curve.points().stream().mapToLong(Point::evictedBytes).sum())
          .isEqualTo(policy.evicted);
      assertThat(curve.points().stream().mapToLong(Point::writtenBackBytes).sum())
          .isEqualTo(policy.writtenBack);
    }
  }

  private static TieredMemory.Tier tier(
      String name, DeviceKind kind, long bytes, DeviceSpeed speed) {
    DeviceSpec spec = new DeviceSpec(name, kind, (bytes + UNIT - 1) / UNIT * UNIT, UNIT, speed);
    return new TieredMemory.Tier(spec, new HollowArena(spec));
  }

  @Test
  void curve_ofPlans_isWhatAReplayHolds() throws Exception {
    TaskGraph step = Plans.chain(20);
    int moving = 0;
    for (double share : new double[] {0.4, 0.5, 0.7}) {
      PlanDevices devices = Plans.devices((long) (share * step.peakBytes()) / UNIT * UNIT);
      for (Planner planner :
          List.of(
              Plans.autoVm(),
              new AutoTmPlanner(Form.WINDOWS),
              new AutoTmPlanner(Form.SYNCHRONOUS),
              new AutoTmPlanner(Form.STATIC))) {
        PlacementPlan plan = planner.plan(step, devices);
        moving += plan.before().isEmpty() && plan.after().isEmpty() ? 0 : 1;
        assertReplayed(step, plan, devices);
      }
    }
    assertThat(moving).isGreaterThan(5);
  }

  @Test
  void curve_writtenByHand_hasEachMoveAtItsKernel() {
    TaskGraph step = Plans.chain(4);
    // The first tensor that is created: away from its second use to its last.
    int tensor = step.kernels().get(0).lifetimes().creates().get(0);
    List<Integer> users = step.users(tensor);
    int leaves = users.get(1);
    int comes = users.get(2) - 1;
    long bytes = step.tensors().get(tensor).bytes();
    PlacementPlan plan =
        new PlacementPlan(
            Map.of(comes, List.of(new Move(Kind.FETCH_AHEAD, tensor, reason()))),
            Map.of(
                0,
                List.of(new Move(Kind.WRITE_BACK, tensor, reason())),
                leaves,
                List.of(new Move(Kind.EVICT, tensor, reason()))));
    StepCurve curve = PlannedBytes.curve(step, plan, 1 << 20, 1);
    for (int k = 0; k < curve.kernels(); k++) {
      Point point = curve.points().get(k);
      assertThat(point.aliveBytes()).isEqualTo(step.liveBytes(k));
      boolean away = k > leaves && k < comes;
      assertThat(point.aliveBytes() - point.fastBytes())
          .as("kernel %d", k)
          .isEqualTo(away ? bytes : 0);
      assertThat(point.writtenBackBytes()).isEqualTo(k == 0 ? bytes : 0);
      assertThat(point.evictedBytes()).isEqualTo(k == leaves ? bytes : 0);
      assertThat(point.fetchedBytes()).isEqualTo(k == comes ? bytes : 0);
    }
  }

  private static Reason reason() {
    return Reason.OFFLOAD;
  }

  @Test
  void curve_longStep_isBoundedAndHidesNoPeak() {
    TaskGraph step = Plans.chain(500);
    PlacementPlan plan =
        new PlacementPlan(
            Map.of(step.creator(0) < 0 ? 0 : step.creator(0), CreationPlace.FAST),
            Map.of(),
            Map.of(),
            0,
            0);
    StepCurve curve = PlannedBytes.curve(step, plan, 1 << 20, UNIT);
    assertThat(curve.kernels()).isEqualTo(step.kernels().size()).isGreaterThan(900);
    assertThat(curve.points()).hasSizeBetween(StepCurve.MOST_POINTS / 2, StepCurve.MOST_POINTS);
    assertThat(curve.kernelsPerPoint() * curve.points().size())
        .isBetween(curve.kernels(), curve.kernels() + curve.kernelsPerPoint() - 1);
    assertThat(curve.peakBytes()).isEqualTo(Arrays.stream(step.liveBytes()).max().orElseThrow());
    assertThat(curve.points().stream().mapToLong(Point::aliveBytes).max())
        .hasValue(curve.peakBytes());
    StepCurve none =
        PlannedBytes.curve(new TaskGraph(List.of(), List.of()), PlacementPlan.NONE, 64, UNIT);
    assertThat(none.points()).isEmpty();
    assertThat(none.backwardKernel()).isEqualTo(-1);
  }
}
