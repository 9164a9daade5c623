package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.middleware.placement.api.StepCurve;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which plan the steps of one graph follow.
 *
 * <table>
 *   <caption>States</caption>
 *   <tr><th>state</th><th>the step follows</th><th>ends</th></tr>
 *   <tr><td>MEASURING</td><td>no plan</td><td>PLANNING, when {@value #MEASURED_STEPS} steps were
 *     measured</td></tr>
 *   <tr><td>PLANNING</td><td>no plan</td><td>DECIDED, when the desk has decided</td></tr>
 *   <tr><td>DECIDED</td><td>the plan of the decision, if it has one</td><td>DROPPED, after two
 *     steps in a row that were slower than steps without a plan by more than a tenth, at the present
 *     speed of kernels ({@link FollowedSteps}), and after three in a row with other kernels;
 *     COMPARING, once for each decision, if the steps take much longer than rehearsed</td></tr>
 *   <tr><td>COMPARING</td><td>no plan</td><td>after {@value
 *     PlanComparison#SETTLING_STEPS} steps and {@value PlanComparison#COMPARED_STEPS} measured
 *     ones ({@link PlanComparison}): DROPPED if these were faster than steps under the plan, else
 *     DECIDED</td></tr>
 *   <tr><td>DROPPED</td><td>no plan</td><td>PLANNING, an hour later, as soon as the desk
 *     plans the step anew</td></tr>
 * </table>
 *
 * <p>If the kernels or the slow device have changed ({@link Drift}), the desk is asked again, and
 * the former decision holds until it has answered. One thread at a time.
 */
final class PlannedStep {
  /** Number of steps without a plan that are measured before the desk is asked. */
  static final int MEASURED_STEPS = 3;

  private static final int MOST_DIFFERING = 3;

  /** Sizes of the fast device for which costs are rehearsed, as shares of what the step takes. */
  private static final double[] SIZES = {0.12, 0.2, 0.3, 0.45, 0.65, 0.85};

  /** Divisor of the peak; the quotient is added to it, because tensors leave gaps. */
  private static final long GAPS_SHARE = 16;

  private static final long DROPPED_NANOS = 3_600_000_000_000L;

  private enum State {
    MEASURING,
    PLANNING,
    DECIDED,
    COMPARING,
    DROPPED
  }

  private final PlanDesk desk;
  private final List<Planner> planners;
  private final TaskGraph graph;

  /** The step under the plan of the decision. */
  private RecomputedStep recomputed;

  private Recomputation recomputation = Recomputation.NONE;
  private final long peakBytes;
  private final boolean trains;
  private final KernelTimes times;
  private final StepDurations unplanned = new StepDurations();

  /** Steps in which nothing had to move, which are no measure for plans. */
  private final StepDurations fitting = new StepDurations();

  private final FollowedSteps followed = new FollowedSteps();
  private State state = State.MEASURING;
  private @Nullable PlanRequest request;
  private @Nullable PlanDecision decision;

  private final PlanComparison comparison = new PlanComparison();

  /** Whether the desk has been asked anew and has not answered yet. */
  private boolean asked;

  private boolean planned;
  private boolean fits;
  private long startNanos;
  private long budgetBytes;
  private long granuleBytes = 1;

  /** The curve that was asked for last, and the plan that it is of. */
  private @Nullable StepCurve curve;

  private PlacementPlan curveOf = PlacementPlan.NONE;

  private long droppedNanos;
  private String dropped = "";
  private int differing;
  private long differingSteps;
  private long steps;

  PlannedStep(PlanDesk desk, List<Planner> planners, TaskGraph graph) {
    this.desk = desk;
    this.planners = planners;
    this.graph = graph;
    recomputed = Recomputation.NONE.appliedTo(graph);
    peakBytes = graph.peakBytes();
    trains =
        graph.kernels().stream()
            .anyMatch(kernel -> kernel.part() != null && kernel.part().phase() == Phase.UPDATE);
    times = new KernelTimes(graph.kernels().size());
  }

  /** Returns the most bytes of tensors that are alive at one time of the step. */
  long peakBytes() {
    return peakBytes;
  }

  /** Returns whether the step updates parameters; if not, it only tests. */
  boolean trains() {
    return trains;
  }

  /** Returns the plan of the step that begins. */
  PlacementPlan begin(MemoryView view) {
    startNanos = view.nanos();
    boolean before = planned;
    planned = false;
    budgetBytes = view.fast().budgetBytes();
    granuleBytes = view.fast().spec().alignBytes();
    fits = peakBytes <= budgetBytes;
    if (fits) {
      return PlacementPlan.NONE;
    }
    if (state == State.DROPPED
        && startNanos - droppedNanos >= DROPPED_NANOS
        && askAnew(view, unplanned.medianNanos())) {
      state = State.PLANNING;
      dropped = "";
    }
    if (state == State.PLANNING) {
      ask(view);
    }
    PlanDecision known = decision;
    if (state == State.DECIDED && known != null) {
      known = current(known, view);
    }
    if (state != State.DECIDED || known == null || !known.follows()) {
      return PlacementPlan.NONE;
    }
    planned = true;
    follow(known.plan());
    if (!before) {
      followed.begin(unplanned.medianNanos(), times.fastNanos());
    }
    followed.beginStep();
    return known.plan();
  }

  private void follow(PlacementPlan plan) {
    if (!plan.recomputation().equals(recomputation)) {
      recomputation = plan.recomputation();
      recomputed = recomputation.appliedTo(graph);
    }
  }

  /** Returns the bandwidth of the slow device that the decision is for; 0 if there is none. */
  double plannedBytesPerSecond() {
    PlanDecision known = decision;
    return state == State.DECIDED && known != null ? known.slowBytesPerSecond() : 0;
  }

  /** Returns whether the decision holds, also for the time of a comparison. */
  private boolean holds() {
    return state == State.DECIDED || state == State.COMPARING;
  }

  private void ask(MemoryView view) {
    PlanRequest own = request;
    if (own == null) {
      own =
          PlanRequest.of(planners, times.of(graph), PlanDevices.of(view))
              .measured(unplanned.medianNanos());
      request = own;
    }
    desk.ask(own)
        .ifPresent(
            answer -> {
              decision = answer;
              asked = false;
              comparison.reset();
              state = State.DECIDED;
            });
  }

  /**
   * Has the step planned by the present measurements. Returns false if the desk does not.
   *
   * @param unplannedNanos present duration of a step without a plan; 0 if it is unknown
   */
  private boolean askAnew(MemoryView view, long unplannedNanos) {
    PlanRequest anew =
        PlanRequest.of(planners, times.of(graph), PlanDevices.of(view)).measured(unplannedNanos);
    if (!desk.replan(anew)) {
      return false;
    }
    request = anew;
    asked = true;
    return true;
  }

  /** Returns the decision that holds, and asks for another one if measurements have changed. */
  private PlanDecision current(PlanDecision known, MemoryView view) {
    PlanRequest own = request;
    Optional<PlanDecision> answer = own == null ? Optional.empty() : desk.ask(own);
    asked = asked && answer.isEmpty();
    PlanDecision newest = answer.orElse(known);
    if (!newest.equals(known)) {
      decision = newest;
      comparison.reset();
      followed.beginAnew(newest.unplannedNanos(), times.fastNanos());
    } else if (!asked
        && times.complete()
        && known.drifted(times.sumNanos(), Drift.bytesPerSecond(view.slowSpeed()))) {
      // Steps without a plan were measured before the change.
      var unused = askAnew(view, 0);
    }
    return newest;
  }

  /** Records a kernel of the step. */
  void ran(KernelEvent kernel, long nanos, MemoryView view) {
    int index = kernel.index();
    if (planned && index < recomputed.kernels().size()) {
      if (recomputed.again().get(index)) {
        // Its first run has been measured, and steps without a plan have no second one.
        return;
      }
      index = recomputed.kernels().get(index);
    }
    if (times.ran(index, kernel, nanos, view) && planned) {
      followed.ran(index, nanos);
    }
  }

  /** Records the end of the step. */
  void ended(MemoryView view) {
    if (!view.stepKnown()) {
      differingSteps++;
      if (++differing >= MOST_DIFFERING && planned) {
        drop("its last %d steps had other kernels".formatted(differing), view);
      }
      return;
    }
    differing = 0;
    steps++;
    long nanos = view.nanos() - startNanos;
    if (fits) {
      fitting.add(nanos);
      return;
    }
    if (state == State.COMPARING) {
      if (comparison.ended(nanos, unplanned)) {
        compared(view);
      }
      return;
    }
    if (!planned) {
      unplanned.add(nanos);
      if (state == State.MEASURING && unplanned.count() >= MEASURED_STEPS && times.complete()) {
        state = State.PLANNING;
        ask(view);
      }
      return;
    }
    String reason = followed.ended(nanos);
    if (reason != null) {
      drop(reason, view);
    } else if (comparison.begins(followed, rehearsedNanos(), unplanned.medianNanos())) {
      state = State.COMPARING;
    }
  }

  private long rehearsedNanos() {
    PlanDecision known = decision;
    return known == null ? 0 : known.nanos();
  }

  /** Decides by measured steps alone, after the last step of a comparison. */
  private void compared(MemoryView view) {
    state = State.DECIDED;
    String reason = PlanComparison.reason(followed.medianNanos(), unplanned.medianNanos());
    if (reason != null) {
      drop(reason, view);
    }
  }

  private void drop(String reason, MemoryView view) {
    state = State.DROPPED;
    droppedNanos = view.nanos();
    dropped = reason;
    differing = 0;
  }

  /** Returns the bytes of the step under what it follows. */
  private StepCurve curve() {
    PlanDecision known = decision;
    PlacementPlan plan = known != null && holds() && !fits ? known.plan() : PlacementPlan.NONE;
    StepCurve last = curve;
    if (last == null || last.budgetBytes() != budgetBytes || !plan.equals(curveOf)) {
      TaskGraph run = plan.recomputation().appliedTo(graph).graph();
      last = PlannedBytes.curve(run, plan, budgetBytes, granuleBytes);
      curve = last;
      curveOf = plan;
    }
    return last;
  }

  /**
   * Returns what the step takes in several sizes of the fast device, as far as the desk has
   * rehearsed them; empty before the first step. What is not rehearsed yet is asked for.
   */
  Optional<StepCosts> costs(MemoryView view) {
    long measured = measuredNanos();
    if (measured == 0) {
      return Optional.empty();
    }
    boolean known = times.complete();
    if (!known && !fits) {
      // A step that waits for the slow device says nothing about its kernels.
      return Optional.of(new StepCosts(steps, budgetBytes, measured, false, List.of()));
    }
    TaskGraph timed = known ? times.of(graph) : byBytes(measured);
    // Kernels of a step that fits were not timed one by one, which is too little for plans.
    List<Planner> quick =
        known ? planners.stream().filter(planner -> !planner.takesLong()).toList() : List.of();
    PlanDevices devices = PlanDevices.of(view);
    long whole = devices.alignedBytes(peakBytes + peakBytes / GAPS_SHARE);
    List<StepCosts.Point> points = new ArrayList<>();
    boolean complete = true;
    long last = 0;
    for (double share : SIZES) {
      long bytes = devices.alignedBytes((long) (share * whole));
      if (bytes <= last || bytes >= whole) {
        // Sizes of a tiny step coincide when they are rounded.
        continue;
      }
      last = bytes;
      Optional<PlanDecision> answer =
          desk.ask(PlanRequest.of(quick, timed, devices.withFastBytes(bytes)));
      complete &= answer.isPresent();
      // A step that fits under no plan has no duration.
      answer
          .filter(decision -> decision.nanos() > 0)
          .ifPresent(decision -> points.add(new StepCosts.Point(bytes, nanosNow(decision, timed))));
    }
    points.add(new StepCosts.Point(whole, Math.max(1, timed.fastNanos())));
    return Optional.of(new StepCosts(steps, budgetBytes, measured, complete, points));
  }

  /**
   * Returns the rehearsed duration of a step at the present speed of its kernels: an answer of the
   * desk may be from a time when they were slower or faster.
   */
  private static long nanosNow(PlanDecision then, TaskGraph now) {
    double faster = (double) now.fastNanos() / Math.max(1, then.kernelNanos());
    return Math.max(1, Math.round(then.nanos() * faster));
  }

  private long measuredNanos() {
    return fits
        ? fitting.medianNanos()
        : planned ? followed.medianNanos() : unplanned.medianNanos();
  }

  /** Returns the graph with the duration of a step divided by the bytes that its kernels use. */
  private TaskGraph byBytes(long stepNanos) {
    double[] bytes = new double[graph.kernels().size()];
    double all = 0;
    for (int kernel = 0; kernel < bytes.length; kernel++) {
      for (int tensor : graph.kernels().get(kernel).arguments()) {
        bytes[kernel] += graph.tensors().get(tensor).bytes();
      }
      all += bytes[kernel];
    }
    long[] nanos = new long[bytes.length];
    for (int kernel = 0; kernel < bytes.length; kernel++) {
      nanos[kernel] = Math.max(1, (long) (stepNanos * bytes[kernel] / Math.max(1, all)));
    }
    return graph.timed(nanos);
  }

  /** Returns how plans are used. */
  PlanUse use() {
    PlanDecision known = decision;
    if (known == null || fits) {
      long usual = fits ? fitting.medianNanos() : unplanned.medianNanos();
      String planner = fits ? PlanUse.FITS : PlanUse.UNPLANNED;
      return new PlanUse(planner, 0, usual, usual, 0, 0, differingSteps, 0, Map.of(), curve());
    }
    long usual = unplanned.medianNanos();
    boolean follows = holds() && known.follows();
    Map<String, String> refused = new HashMap<>(known.refused());
    if (!dropped.isEmpty()) {
      refused.put(known.planner(), dropped);
    }
    return new PlanUse(
        follows ? known.planner() : PlanUse.UNPLANNED,
        follows ? known.nanos() : known.unplannedNanos(),
        follows ? followed.medianNanos() : usual,
        usual,
        known.plan().boundNanos(),
        known.planningNanos(),
        differingSteps,
        follows ? known.plan().recomputation().kernels() : 0,
        refused,
        curve());
  }
}
