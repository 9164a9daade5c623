package io.idlalayer.middleware.placement.plan.redl;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanSource;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.StepProfile;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DriftSwitchTest {
  private static final TaskGraph GRAPH = RandomGraphs.chain(6, 640, 1280);
  private static final PlacementPlan PLAN =
      new PlacementPlan(Map.of(), Map.of(0, List.of(new Move(Kind.EVICT, 0, Reason.OFFLOAD))));

  private final StepProfile step = new StepProfile(GRAPH);
  private final FakeView view = new FakeView(4_096);
  private final Plans plans = new Plans();
  private final DriftSwitch drift = new DriftSwitch(plans);

  /** A source with one plan, which can be decided about again. */
  private static final class Plans implements PlanSource {
    private PlacementPlan plan = PLAN;
    private long decision = 1;
    private int ended;

    @Override
    public PlacementPlan begin(TaskGraph graph, MemoryView view) {
      return plan;
    }

    @Override
    public void ended(MemoryView view) {
      ended++;
    }

    @Override
    public Optional<PlanUse> use() {
      return Optional.of(new PlanUse("autovm", decision, 1, 1, 0, 1, 0, Map.of()));
    }
  }

  /** Runs a step and returns whether it migrates instead of following the plan. */
  private boolean migrates() {
    Periods periods = drift.begin(step, view);
    PlacementPlan plan = drift.begin(GRAPH, view);
    drift.ended(view);
    assertThat(plan.isEmpty()).isEqualTo(!periods.equals(Periods.NONE));
    return plan.isEmpty();
  }

  @Test
  void steadyDevice_followsThePlan() {
    assertThat(migrates()).isFalse();
    view.slowdown = 1.15;
    assertThat(migrates()).isFalse();
    view.slowdown = 0.9;
    assertThat(migrates()).isFalse();
    assertThat(plans.ended).isEqualTo(3);
  }

  @Test
  void slowerDevice_migratesUntilThereIsANewPlan() {
    migrates();
    view.slowdown = 3;
    assertThat(migrates()).isTrue();
    assertThat(migrates()).isTrue();
    // Steps that did not follow the plan tell nothing about it.
    assertThat(plans.ended).isOne();
    plans.decision = 2;
    assertThat(migrates()).as("the step in which the plan is made anew").isTrue();
    assertThat(migrates()).isFalse();
    assertThat(plans.ended).isEqualTo(2);
  }

  @Test
  void slowerDevice_beforeThereIsAPlan_doesNotPutOffPlanning() {
    plans.plan = PlacementPlan.NONE;
    drift.begin(GRAPH, view);
    drift.ended(view);
    view.slowdown = 3;
    for (int i = 0; i < 3; i++) {
      drift.begin(step, view);
      drift.begin(GRAPH, view);
      drift.ended(view);
    }
    assertThat(plans.ended).isEqualTo(4);
  }

  @Test
  void fasterDevice_isADriftToo() {
    view.slowdown = 3;
    migrates();
    view.slowdown = 1;
    assertThat(migrates()).isTrue();
  }

  @Test
  void deviceThatRecovers_followsThePlanAgain() {
    migrates();
    view.slowdown = 2;
    assertThat(migrates()).isTrue();
    view.slowdown = 1;
    assertThat(migrates()).isFalse();
  }
}
