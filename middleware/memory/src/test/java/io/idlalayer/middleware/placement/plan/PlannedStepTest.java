package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.FakeView;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.middleware.placement.api.StepCurve;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlannedStepTest {
  private static final TaskGraph STEP = Plans.chain(12);
  private static final long HOUR_NANOS = 3_600_000_000_000L;
  private static final long KERNEL_NANOS = 20_000_000;
  private static final long STEP_NANOS = 100_000_000;

  private final FakeView view = new FakeView(STEP.peakBytes() / 2 / 64 * 64);
  private final List<Runnable> work = new ArrayList<>();
  private final PlanDesk desk = PlanDesk.on(work::add, null, () -> 0);
  private PlannedStep step = new PlannedStep(desk, List.of(Plans.autoVm()), STEP);

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

  /** Steps in which all fits say nothing about what a step without a plan takes. */
  @Test
  void begin_budgetShrinks_isMeasuredAnew() {
    long small = view.fastBytes;
    view.fastBytes = STEP.peakBytes();
    for (int i = 0; i < 2 * PlannedStep.MEASURED_STEPS; i++) {
      assertThat(run(STEP_NANOS / 10)).isFalse();
      assertThat(step.use().planner()).isEqualTo(PlanUse.FITS);
    }
    assertThat(work).isEmpty();
    view.fastBytes = small;
    follow();
    assertThat(step.use().unplannedNanos()).isEqualTo(STEP_NANOS);
    view.fastBytes = STEP.peakBytes();
    assertThat(run(STEP_NANOS / 10)).isFalse();
    assertThat(step.use().planner()).isEqualTo(PlanUse.FITS);
    assertThat(step.use().measuredNanos()).isEqualTo(STEP_NANOS / 10);
    view.fastBytes = small;
    assertThat(run(STEP_NANOS)).isTrue();
    assertThat(step.use().planner()).isEqualTo("autovm");
  }

  /** The curve is made once, as long as what the step follows stays. */
  @Test
  void use_curve_isThatOfWhatIsFollowed() {
    run(STEP_NANOS);
    StepCurve open = step.use().curve();
    assertThat(open.peakBytes()).isEqualTo(STEP.peakBytes());
    assertThat(open.points()).allMatch(point -> point.fastBytes() == point.aliveBytes());
    run(STEP_NANOS);
    assertThat(step.use().curve()).isSameAs(open);
    run(STEP_NANOS);
    plan();
    run(STEP_NANOS);
    StepCurve followed = step.use().curve();
    assertThat(followed.budgetBytes()).isEqualTo(view.fastBytes);
    assertThat(followed.points())
        .hasSize(STEP.kernels().size())
        .allMatch(point -> point.fastBytes() <= view.fastBytes)
        .anyMatch(point -> point.evictedBytes() > 0)
        .anyMatch(point -> point.fetchedBytes() > 0);
    run(STEP_NANOS);
    assertThat(step.use().curve()).isSameAs(followed);
    view.fastBytes = STEP.peakBytes();
    run(STEP_NANOS);
    assertThat(step.use().curve().points()).isEqualTo(open.points());
    assertThat(step.use().curve().budgetBytes()).isEqualTo(STEP.peakBytes());
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

  private boolean quick(long nanos) {
    return run(nanos, KERNEL_NANOS / 10, true);
  }

  /**
   * Follows the plan until its steps are compared.
   *
   * @param times duration of a step, as a multiple of the rehearsed one
   * @return that duration
   */
  private long tryThePlan(double times, long unplannedNanos) {
    for (int i = 0; i < PlannedStep.MEASURED_STEPS; i++) {
      assertThat(quick(unplannedNanos)).isFalse();
    }
    plan();
    assertThat(quick(STEP_NANOS)).isTrue();
    long nanos = (long) (times * step.use().predictedNanos());
    for (int i = 1; i < PlanComparison.TRIED_STEPS; i++) {
      assertThat(quick(nanos)).isTrue();
    }
    return nanos;
  }

  private void compare(long settlingNanos, long nanos) {
    for (int i = 0; i < PlanComparison.SETTLING_STEPS; i++) {
      assertThat(quick(settlingNanos)).isFalse();
      assertThat(step.use().planner()).isEqualTo("autovm");
    }
    for (int i = 0; i < PlanComparison.COMPARED_STEPS; i++) {
      assertThat(quick(nanos)).isFalse();
    }
  }

  @Test
  void ended_stepsMuchLongerThanRehearsed_areComparedOnceAndGoOnIfFaster() {
    long nanos = tryThePlan(1.25, STEP_NANOS * 3 / 2);
    compare(2 * nanos, nanos * 99 / 100);
    assertThat(step.use().unplannedNanos()).isEqualTo(nanos * 99 / 100);
    for (int i = 0; i < 100; i++) {
      assertThat(quick(nanos)).isTrue();
    }
    assertThat(step.use().refused()).isEmpty();
  }

  @Test
  void ended_stepsMuchLongerThanRehearsed_areDroppedIfSlowerThanWithoutAPlan() {
    long nanos = tryThePlan(1.3, STEP_NANOS * 3 / 2);
    compare(nanos / 2, nanos * 97 / 100);
    assertThat(quick(nanos)).isFalse();
    assertThat(step.use().planner()).isEqualTo(PlanUse.UNPLANNED);
    assertThat(step.use().refused().get("autovm"))
        .startsWith(
            String.format(
                Locale.ROOT,
                "its steps took %,d ns, and steps without a plan %,d ns",
                nanos,
                nanos * 97 / 100));
    view.nanos += HOUR_NANOS;
    quick(nanos);
    plan();
    assertThat(quick(nanos)).isTrue();
  }

  @Test
  void ended_stepsNearlyAsRehearsed_areNotCompared() {
    long nanos = tryThePlan(1.19, STEP_NANOS * 3 / 2);
    for (int i = 0; i < 100; i++) {
      assertThat(quick(nanos)).isTrue();
    }
  }

  @Test
  void ended_stepsMuchFasterThanWithoutAPlan_areNotCompared() {
    long nanos = tryThePlan(1.25, 3 * STEP_NANOS);
    for (int i = 0; i < 100; i++) {
      assertThat(quick(nanos)).isTrue();
    }
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
  void begin_driftAfterADroppedPlan_asksAnew() {
    follow();
    dropThePlan();
    view.nanos += HOUR_NANOS;
    assertThat(run(STEP_NANOS)).isFalse();
    plan();
    assertThat(run(STEP_NANOS)).isTrue();
    drift();
    assertThat(work).hasSize(1);
    plan();
    drift(2);
    assertThat(work).hasSize(1);
  }

  private void dropThePlan() {
    run(STEP_NANOS * 112 / 100);
    run(STEP_NANOS * 112 / 100);
    assertThat(run(STEP_NANOS)).isFalse();
  }

  /** Runs steps until the kernels take two thirds of their time. */
  private void drift() {
    drift(1);
  }

  private void drift(int times) {
    long kernelNanos = (long) (KERNEL_NANOS * Math.pow(2.0 / 3, times));
    for (int i = 0; i <= KernelTimes.RUNS; i++) {
      assertThat(run(STEP_NANOS, kernelNanos, true)).isTrue();
    }
  }

  @Test
  void begin_deskThatRestsWhenAnHourIsOver_doesNotFollowTheDroppedPlan() {
    long[] now = {0};
    Planner slow =
        Plans.planner(
            "slow",
            (graph, devices) -> {
              now[0] += 100;
              return Plans.autoVm().plan(graph, devices);
            });
    try (PlanDesk resting = PlanDesk.on(work::add, null, () -> now[0])) {
      step = new PlannedStep(resting, List.of(slow), STEP);
      follow();
      drift();
      plan();
      assertThat(run(STEP_NANOS, KERNEL_NANOS * 2 / 3, true)).isTrue();
      for (int i = 0; i < 2; i++) {
        run(10 * STEP_NANOS, KERNEL_NANOS * 2 / 3, true);
      }
      assertThat(run(STEP_NANOS)).isFalse();
      view.nanos += HOUR_NANOS;
      for (int i = 0; i < 3; i++) {
        assertThat(run(STEP_NANOS)).as("the plan that was dropped").isFalse();
      }
      assertThat(work).as("the desk rests").isEmpty();
      now[0] += 1_000_000;
      assertThat(run(STEP_NANOS)).isFalse();
      assertThat(work).hasSize(1);
      plan();
      assertThat(run(STEP_NANOS)).isTrue();
    }
  }

  @Test
  void begin_slowDeviceIsThrottled_itsPlanIsNotThatOfAHealthyOne(@TempDir Path folder) {
    try (PlanDesk storing = PlanDesk.on(work::add, folder, () -> 0)) {
      step = new PlannedStep(storing, List.of(Plans.autoVm()), STEP);
      follow();
      view.slowdown = 3;
      assertThat(run(STEP_NANOS)).isTrue();
      assertThat(work).hasSize(1);
      plan();
      run(STEP_NANOS);
      assertThat(step.plannedBytesPerSecond()).isEqualTo(Drift.bytesPerSecond(view.slowSpeed()));
    }
    FakeView healthy = new FakeView(STEP.peakBytes() / 2 / 64 * 64);
    try (PlanDesk second = PlanDesk.on(work::add, folder, () -> 0)) {
      PlanRequest request = PlanRequest.of(List.of(Plans.autoVm()), STEP, PlanDevices.of(healthy));
      assertThat(second.ask(request)).isEmpty();
      plan();
      assertThat(second.ask(request).orElseThrow().slowBytesPerSecond())
          .isEqualTo(Drift.bytesPerSecond(healthy.slowSpeed()));
    }
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

  @Test
  void costs_sizesThatTheDeskRehearses_ascendAndTakeNoLonger() {
    assertThat(step.costs(view)).isEmpty();
    run(STEP_NANOS);
    StepCosts first = step.costs(view).orElseThrow();
    assertThat(first.complete()).isFalse();
    assertThat(first.points()).hasSize(1);
    plan();

    StepCosts costs = step.costs(view).orElseThrow();

    assertThat(costs.complete()).isTrue();
    assertThat(costs.steps()).isEqualTo(1);
    assertThat(costs.budgetBytes()).isEqualTo(view.fastBytes);
    assertThat(costs.measuredNanos()).isEqualTo(STEP_NANOS);
    assertThat(costs.points()).hasSizeGreaterThan(2);
    StepCosts.Point all = costs.points().get(costs.points().size() - 1);
    assertThat(all.nanos()).isEqualTo(STEP.kernels().size() * KERNEL_NANOS);
    for (int i = 1; i < costs.points().size(); i++) {
      assertThat(costs.points().get(i).bytes()).isGreaterThan(costs.points().get(i - 1).bytes());
    }
    assertThat(costs.points().get(0).nanos()).isGreaterThanOrEqualTo(all.nanos());
    assertThat(work).as("nothing is asked for again").isEmpty();
  }

  /** The desk answers with what it rehearsed when the kernels were faster. */
  @Test
  void costs_kernelsHaveBecomeSlower_areAtTheirPresentSpeed() {
    run(STEP_NANOS);
    var unused = step.costs(view);
    plan();
    List<StepCosts.Point> before = step.costs(view).orElseThrow().points();
    for (int i = 0; i < KernelTimes.RUNS; i++) {
      run(STEP_NANOS, 2 * KERNEL_NANOS, true);
    }

    List<StepCosts.Point> after = step.costs(view).orElseThrow().points();

    assertThat(after)
        .isEqualTo(
            before.stream()
                .map(point -> new StepCosts.Point(point.bytes(), 2 * point.nanos()))
                .toList());
  }

  @Test
  void costs_stepThatDoesNotFitWithKernelsUnknown_areIncompleteAndAskNothing() {
    view.known = true;
    step.begin(view);
    view.nanos += STEP_NANOS;
    step.ended(view);

    StepCosts costs = step.costs(view).orElseThrow();

    assertThat(costs.complete()).isFalse();
    assertThat(costs.points()).isEmpty();
    assertThat(work).isEmpty();
  }

  @Test
  void costs_stepOfFewBytes_haveEachSizeOnce() {
    List<TaskGraph.Tensor> small =
        STEP.tensors().stream()
            .map(each -> new TaskGraph.Tensor(each.name(), 8, each.kind(), each.mutable()))
            .toList();
    step = new PlannedStep(desk, List.of(Plans.autoVm()), new TaskGraph(STEP.kernels(), small));
    view.known = true;
    step.begin(view);
    view.nanos += STEP_NANOS;
    step.ended(view);
    var unused = step.costs(view);
    plan();

    List<StepCosts.Point> points = step.costs(view).orElseThrow().points();

    assertThat(points).isNotEmpty();
    for (int i = 1; i < points.size(); i++) {
      assertThat(points.get(i).bytes()).isGreaterThan(points.get(i - 1).bytes());
    }
  }

  /** Kernels of a step that runs as a whole are not timed. */
  @Test
  void costs_stepThatFits_areThoseOfItsBytes() {
    view.fastBytes = 2 * STEP.peakBytes();
    view.known = true;
    step.begin(view);
    view.nanos += STEP_NANOS;
    step.ended(view);
    var unused = step.costs(view);
    plan();

    StepCosts costs = step.costs(view).orElseThrow();

    assertThat(costs.complete()).isTrue();
    assertThat(costs.measuredNanos()).isEqualTo(STEP_NANOS);
    StepCosts.Point all = costs.points().get(costs.points().size() - 1);
    assertThat(all.nanos()).isBetween(STEP_NANOS * 99 / 100, STEP_NANOS);
  }

  /** Kernels that run again take no part in what the step takes without a plan. */
  @Test
  void ran_kernelsThatRunAgain_areNotMeasured() {
    TaskGraph graph =
        new TaskGraph(
            STEP.kernels().stream().map(kernel -> kernel.repeatable(true)).toList(),
            STEP.tensors());
    List<Rerun> reruns = new ArrayList<>();
    for (int layer = 9; layer > 0; layer -= 2) {
      reruns.add(new Rerun(List.of(layer), STEP.kernels().size() - 1 - layer));
    }
    Recomputation recomputation = new Recomputation(reruns);
    Planner planner =
        Plans.planner("again", (any, devices) -> PlacementPlan.NONE.recomputing(recomputation));
    step = new PlannedStep(desk, List.of(planner), graph);
    for (int i = 0; i < PlannedStep.MEASURED_STEPS; i++) {
      run(STEP_NANOS, 1_000, true);
    }
    plan();
    RecomputedStep longer = recomputation.appliedTo(graph);
    for (int i = 0; i < PlannedStep.MEASURED_STEPS; i++) {
      view.known = true;
      assertThat(step.begin(view).recomputation()).isEqualTo(recomputation);
      for (int k = 0; k < longer.kernels().size(); k++) {
        long nanos = longer.again().get(k) ? STEP_NANOS : 1_000;
        step.ran(new KernelEvent(k, "k", List.of(), List.of()), nanos, view);
      }
      view.nanos += STEP_NANOS / 2;
      step.ended(view);
    }
    // Nothing has drifted, and the step is not slow.
    assertThat(work).isEmpty();
    assertThat(step.use().planner()).isEqualTo("again");
    assertThat(step.use().curve().kernels()).isEqualTo(longer.kernels().size());
  }
}
