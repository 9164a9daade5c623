package io.idlalayer.middleware.placement.plan.redl;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.DeskPlans;
import io.idlalayer.middleware.placement.plan.Drift;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.middleware.placement.plan.PlanSource;
import io.idlalayer.middleware.placement.plan.Plans;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.StepProfile;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriftSwitchTest {
  private static final TaskGraph GRAPH = RandomGraphs.chain(6, 640, 1280);
  private static final PlacementPlan PLAN =
      new PlacementPlan(Map.of(), Map.of(0, List.of(new Move(Kind.EVICT, 0, Reason.OFFLOAD))));

  private final StepProfile step = new StepProfile(GRAPH);
  private final FakeView view = new FakeView(4_096);
  private final OnePlan plans = new OnePlan();
  private final DriftSwitch drift = new DriftSwitch(plans);

  /** A source with one plan, which is decided for some bandwidth. */
  private static final class OnePlan implements PlanSource {
    private PlacementPlan plan = PLAN;
    private double bytesPerSecond;
    private int ended;
    private int ran;

    @Override
    public void ran(KernelEvent kernel, long nanos, MemoryView view) {
      ran++;
    }

    @Override
    public PlacementPlan begin(TaskGraph graph, MemoryView view) {
      return plan;
    }

    @Override
    public void ended(MemoryView view) {
      ended++;
    }

    @Override
    public double plannedBytesPerSecond(TaskGraph graph) {
      return bytesPerSecond;
    }
  }

  private void decide() {
    plans.bytesPerSecond = Drift.bytesPerSecond(view.slowSpeed());
  }

  /** Runs a step and returns whether it migrates instead of following the plan. */
  private boolean migrates() {
    PlacementPlan plan = drift.begin(GRAPH, view);
    Periods periods = drift.begin(step, view);
    drift.ended(view);
    assertThat(plan.isEmpty()).isEqualTo(!periods.equals(Periods.NONE));
    return plan.isEmpty();
  }

  @Test
  void steadyDevice_followsThePlan() {
    decide();
    assertThat(migrates()).isFalse();
    view.slowdown = 1.15;
    assertThat(migrates()).isFalse();
    view.slowdown = 0.9;
    assertThat(migrates()).isFalse();
    assertThat(plans.ended).isEqualTo(3);
  }

  @Test
  void slowerDevice_migratesUntilThereIsANewPlan() {
    decide();
    migrates();
    view.slowdown = 3;
    assertThat(migrates()).isTrue();
    assertThat(migrates()).isTrue();
    // Steps that did not follow the plan tell nothing about it.
    assertThat(plans.ended).isOne();
    decide();
    assertThat(migrates()).isFalse();
    assertThat(plans.ended).isEqualTo(2);
  }

  /** A source with reruns expects other kernels than those that run without them. */
  @Test
  void slowerDevice_planWithReruns_tellsTheSourceNoKernels() {
    KernelEvent kernel = new KernelEvent(0, "k", List.of(), List.of());
    decide();
    for (PlacementPlan plan :
        List.of(PLAN, PLAN.recomputing(new Recomputation(List.of(new Rerun(List.of(0), 1)))))) {
      plans.plan = plan;
      plans.ran = 0;
      view.slowdown = 1;
      drift.begin(GRAPH, view);
      drift.ran(kernel, 1, view);
      assertThat(plans.ran).isOne();
      view.slowdown = 3;
      assertThat(drift.begin(GRAPH, view).isEmpty()).isTrue();
      drift.ran(kernel, 1, view);
      assertThat(plans.ran).isEqualTo(plan.recomputation().isEmpty() ? 2 : 1);
    }
  }

  @Test
  void slowerDevice_beforeThereIsAPlan_migratesNothing() {
    plans.plan = PlacementPlan.NONE;
    for (int slowdown = 1; slowdown <= 3; slowdown++) {
      view.slowdown = slowdown;
      drift.begin(GRAPH, view);
      assertThat(drift.begin(step, view)).isEqualTo(Periods.NONE);
      drift.ended(view);
    }
    assertThat(plans.ended).isEqualTo(3);
  }

  /** At every speed the desk plans anew if, and only if, steps do not follow their plan. */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 0.8, 0.82, 0.84, 1, 1.15, 1.19, 1.21, 1.23, 1.26, 3})
  void changedDevice_isPlannedAnewWheneverTensorsMigrate(double slowdown) {
    TaskGraph graph = Plans.chain(12);
    FakeView devices = new FakeView(graph.peakBytes() / 2 / 64 * 64);
    devices.known = true;
    List<Runnable> work = new ArrayList<>();
    try (PlanDesk desk = PlanDesk.on(work::add, null, () -> 0)) {
      DriftSwitch both = new DriftSwitch(new DeskPlans(desk, List.of(Plans.autoVm())));
      StepProfile profile = new StepProfile(graph);
      Supplier<Boolean> step =
          () -> {
            both.begin(graph, devices);
            boolean migrates = !both.begin(profile, devices).equals(Periods.NONE);
            for (int k = 0; k < graph.kernels().size(); k++) {
              both.ran(new KernelEvent(k, "k", List.of(), List.of()), 20_000_000, devices);
            }
            devices.nanos += 500_000_000;
            both.ended(devices);
            return migrates;
          };
      for (int i = 0; i < 4; i++) {
        assertThat(step.get()).isFalse();
      }
      work.remove(0).run();
      assertThat(step.get()).isFalse();
      assertThat(both.use().orElseThrow().planner()).isEqualTo("autovm");
      devices.slowdown = slowdown;
      boolean migrates = step.get();
      assertThat(!work.isEmpty()).as("planned anew").isEqualTo(migrates);
      List.copyOf(work).forEach(Runnable::run);
      var unused = step.get();
      assertThat(step.get()).as("after the new plan").isFalse();
    }
  }

  @Test
  void fasterDevice_isADriftToo() {
    view.slowdown = 3;
    decide();
    migrates();
    view.slowdown = 1;
    assertThat(migrates()).isTrue();
  }

  @Test
  void deviceThatRecovers_followsThePlanAgain() {
    decide();
    migrates();
    view.slowdown = 2;
    assertThat(migrates()).isTrue();
    view.slowdown = 1;
    assertThat(migrates()).isFalse();
  }
}
