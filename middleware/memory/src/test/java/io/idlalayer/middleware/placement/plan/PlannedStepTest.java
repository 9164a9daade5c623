package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PlannedStepTest {
  private static final TaskGraph STEP = Plans.chain(12);
  private static final long HOUR_NANOS = 3_600_000_000_000L;
  private static final long KERNEL_NANOS = 20_000_000;
  private static final long STEP_NANOS = 100_000_000;

  private final FakeView view = new FakeView(STEP.peakBytes() / 2 / 64 * 64);
  private final List<Runnable> work = new ArrayList<>();
  private final PlanDesk desk = PlanDesk.on(work::add, null, () -> 0);
  private final PlannedStep step = new PlannedStep(desk, List.of(Plans.autoVm()), STEP);

  @AfterEach
  void close() {
    desk.close();
  }

  /** Runs a step; returns whether it followed a plan. */
  private boolean run(long nanos, long kernelNanos, boolean known) {
    view.known = true;
    boolean followed = !step.begin(view).isEmpty();
    for (int k = 0; k < STEP.kernels().size(); k++) {
      step.ran(new KernelEvent(k, "k", List.of(), List.of()), kernelNanos, view);
    }
    view.nanos += nanos;
    view.known = known;
    step.ended(view);
    return followed;
  }

  private boolean run(long nanos) {
    return run(nanos, KERNEL_NANOS, true);
  }

  private void plan() {
    List.copyOf(work).forEach(Runnable::run);
    work.clear();
  }

  private void follow() {
    for (int i = 0; i < PlannedStep.MEASURED_STEPS; i++) {
      assertThat(run(STEP_NANOS)).isFalse();
    }
    plan();
    assertThat(run(STEP_NANOS)).isTrue();
  }

  @Test
  void begin_beforeTheDeskHasDecided_followsNothing() {
    for (int i = 0; i < PlannedStep.MEASURED_STEPS - 1; i++) {
      run(STEP_NANOS);
    }
    assertThat(work).isEmpty();
    run(STEP_NANOS);
    assertThat(work).hasSize(1);
    assertThat(run(STEP_NANOS)).isFalse();
    assertThat(work).hasSize(1);
    plan();
    assertThat(run(STEP_NANOS)).isTrue();
    PlanUse use = step.use();
    assertThat(use.planner()).isEqualTo("autovm");
    assertThat(use.measuredNanos()).isEqualTo(STEP_NANOS);
    assertThat(use.unplannedNanos()).isEqualTo(STEP_NANOS);
    assertThat(use.predictedNanos()).isPositive();
    assertThat(use.boundNanos()).isEqualTo(STEP.kernels().size() * KERNEL_NANOS);
  }

  @Test
  void ended_twoSlowStepsInARow_dropThePlanForAnHour() {
    follow();
    assertThat(run(STEP_NANOS * 112 / 100)).isTrue();
    assertThat(run(STEP_NANOS)).isTrue();
    assertThat(run(STEP_NANOS * 112 / 100)).isTrue();
    assertThat(run(STEP_NANOS * 112 / 100)).isTrue();
    assertThat(run(STEP_NANOS)).isFalse();
    assertThat(step.use().planner()).isEqualTo(PlanUse.UNPLANNED);
    assertThat(step.use().refused().get("autovm")).contains("its last 2 steps were slow");
    view.nanos += HOUR_NANOS;
    assertThat(run(STEP_NANOS)).as("the plan that was dropped").isFalse();
    assertThat(run(STEP_NANOS)).isFalse();
    plan();
    assertThat(run(STEP_NANOS)).isTrue();
  }

  @Test
  void ended_busyMachine_dropsNoPlan() {
    follow();
    for (int i = 1; i <= 10; i++) {
      long times = 1L + i % 4;
      assertThat(run(times * STEP_NANOS, times * KERNEL_NANOS, true)).isTrue();
    }
    assertThat(step.use().planner()).isEqualTo("autovm");
    assertThat(step.use().refused()).isEmpty();
  }

  @Test
  void ended_slowMovesOnABusyMachine_dropThePlan() {
    follow();
    assertThat(run(3 * STEP_NANOS, 2 * KERNEL_NANOS, true)).isTrue();
    assertThat(run(3 * STEP_NANOS, 2 * KERNEL_NANOS, true)).isTrue();
    assertThat(run(3 * STEP_NANOS, 2 * KERNEL_NANOS, true)).isFalse();
    assertThat(step.use().refused().get("autovm")).contains("its last 2 steps were slow");
  }

  @Test
  void ended_kernelsAsSlowAsOfASlowDevice_dropThePlan() {
    follow();
    // Kernels with slow arguments do not count: a slow device, and not a busy machine, delays them.
    MemObject slow = view.slow(64);
    for (int i = 0; i < 2; i++) {
      view.known = true;
      assertThat(step.begin(view).isEmpty()).isFalse();
      for (int k = 0; k < STEP.kernels().size(); k++) {
        step.ran(new KernelEvent(k, "k", List.of(slow), List.of()), 2 * KERNEL_NANOS, view);
      }
      view.nanos += 2 * STEP_NANOS;
      step.ended(view);
    }
    assertThat(run(STEP_NANOS)).isFalse();
  }

  @Test
  void ended_otherKernels_areCountedAndDropThePlanAfterThree() {
    follow();
    for (int i = 0; i < 3; i++) {
      assertThat(run(STEP_NANOS, KERNEL_NANOS, false)).isTrue();
    }
    assertThat(run(STEP_NANOS)).isFalse();
    assertThat(step.use().differingSteps()).isEqualTo(3);
    assertThat(step.use().refused().get("autovm")).contains("other kernels");
  }

  @Test
  void begin_kernelsHaveBecomeSlower_asksAnewAndFollowsTheOldPlanMeanwhile() {
    follow();
    for (int i = 0; i < KernelTimes.RUNS; i++) {
      assertThat(run(STEP_NANOS, KERNEL_NANOS * 11 / 10, true)).isTrue();
    }
    assertThat(work).isEmpty();
    for (int i = 0; i < KernelTimes.RUNS; i++) {
      assertThat(run(STEP_NANOS, KERNEL_NANOS * 13 / 10, true)).isTrue();
    }
    assertThat(work).hasSize(1);
    long before = step.use().predictedNanos();
    plan();
    run(STEP_NANOS, KERNEL_NANOS * 13 / 10, true);
    assertThat(work).isEmpty();
    assertThat(step.use().predictedNanos()).isGreaterThan(before);
  }

  @Test
  void begin_stepThatFits_needsNoPlan() {
    FakeView large = new FakeView(2 * STEP.peakBytes());
    PlannedStep fitting = new PlannedStep(desk, List.of(Plans.autoVm()), STEP);
    large.known = true;
    for (int i = 0; i < 5; i++) {
      assertThat(fitting.begin(large)).isEqualTo(PlacementPlan.NONE);
      fitting.ended(large);
    }
    assertThat(work).isEmpty();
    assertThat(fitting.use().planner()).isEqualTo(PlanUse.FITS);
  }
}
