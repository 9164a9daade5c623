package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.autotm.SearchLimits.Deadline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * AutoTM's planner: chooses for each use of each tensor the device, and for each gap between uses
 * whether it leaves fast memory, so that the predicted time of a step is least. Plans are found by
 * prices ({@link PriceHeuristic}); their time is what {@link PlanVerifier} finds from the moves,
 * never what the search has computed.
 *
 * <p>If the bytes of the fastest plan would be free but scattered, the kernels at which that
 * happens get less fast memory and the step is planned again, at most {@value #MOST_SOLVES} times.
 * Each time these kernels get less than the time before. The allocator may find space for the
 * scattered plan after all, so that plan is rehearsed too, and so are plans for a little less
 * memory at every kernel.
 *
 * <p>A search takes at most 256 MiB of the heap and 30 s ({@link SearchLimits}); a step that needs
 * more is refused.
 *
 * <p>Source: Hildebrand 2020; Hildebrand 2022, chapter 3. Windows of several kernels and writing
 * ahead are ours.
 */
public final class AutoTmPlanner implements Planner {
  private static final int MOST_SOLVES = 10;
  private static final double SHRINK = 0.98;

  /** Shares of the fast memory for which a step is planned if the fastest plan is scattered. */
  private static final double[] LESS = {0.95, 0.9};

  /** A plan is near its bound if it takes this share longer. */
  private static final double NEAR = 0.02;

  private final Form form;
  private final SearchLimits limits;

  public AutoTmPlanner(Form form) {
    this(form, SearchLimits.DEFAULT);
  }

  AutoTmPlanner(Form form, SearchLimits limits) {
    this.form = form;
    this.limits = limits;
  }

  @Override
  public String name() {
    return form.planner();
  }

  @Override
  public long longestNanos() {
    return limits.mostNanos();
  }

  @Override
  public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
    return outcome(graph, devices).plan();
  }

  @Override
  public List<PlacementPlan> candidates(TaskGraph graph, PlanDevices devices) {
    return outcome(graph, devices).candidates();
  }

  /**
   * A plan and how it was found.
   *
   * @param verdict about the plan
   * @param solves how many times the step was planned
   * @param further plans that may be faster if the allocator finds space for them
   */
  record Outcome(
      PlacementPlan plan, PlanVerifier.Verdict verdict, int solves, List<PlacementPlan> further) {
    /** Returns the best plan, then the others, without empty ones. */
    List<PlacementPlan> candidates() {
      return Stream.concat(Stream.of(plan), further.stream())
          .filter(each -> !each.isEmpty())
          .distinct()
          .toList();
    }
  }

  /** A plan and what was found about it. */
  private record Candidate(PlacementPlan plan, PlanVerifier.Verdict verdict) {
    /** Returns whether this plan is faster than another one. */
    boolean faster(@Nullable Candidate other) {
      return other == null || verdict.nanos() < other.verdict().nanos();
    }

    /**
     * Returns whether this plan is better than another one: scattered at fewer kernels or, if at as
     * many, faster.
     */
    boolean better(@Nullable Candidate other) {
      if (other == null) {
        return true;
      }
      int fewer = other.verdict().scattered().size() - verdict.scattered().size();
      return fewer == 0 ? faster(other) : fewer > 0;
    }
  }

  /**
   * Plans a step. If kernels are too short to hide copies, a plan whose kernels wait for copies may
   * be better, because it needs less memory. Returns the best plan so far when the time limit is
   * reached.
   *
   * @throws PlanRefusedException if there is none, or if the step is too large ({@link
   *     SearchLimits})
   */
  Outcome outcome(TaskGraph graph, PlanDevices devices) {
    Deadline deadline = limits.begin(graph);
    Outcome own = searched(form, graph, devices, deadline);
    if (form != Form.WINDOWS || own.verdict().nanos() <= (1 + NEAR) * own.plan().boundNanos()) {
      return own;
    }
    Outcome waiting;
    try {
      waiting = searched(Form.SYNCHRONOUS, graph, devices, deadline);
    } catch (PlanRefusedException late) {
      return own;
    }
    boolean better =
        new Candidate(waiting.plan(), waiting.verdict())
            .better(new Candidate(own.plan(), own.verdict()));
    boolean waits = better && !waiting.plan().isEmpty();
    Outcome first = waits ? waiting : own;
    List<PlacementPlan> further = new ArrayList<>(first.further());
    further.add(waits ? own.plan() : waiting.plan());
    return new Outcome(first.plan(), first.verdict(), first.solves(), further);
  }

  private static Outcome searched(
      Form form, TaskGraph graph, PlanDevices devices, Deadline deadline) {
    PlanVerifier.Verdict none = PlanVerifier.verify(graph, devices, PlacementPlan.NONE);
    if (graph.kernels().isEmpty()) {
      return new Outcome(PlacementPlan.NONE, none, 0, List.of());
    }
    FlowGraph flows = FlowGraph.of(graph, devices);
    PriceHeuristic heuristic = new PriceHeuristic(form, PriceHeuristic.Effort.DEFAULT, deadline);
    PriceHeuristic.Found found = heuristic.run(flows);
    double bound = heuristic.bound(flows, found);
    List<Candidate> further = new ArrayList<>();
    Candidate best = null;
    FlowGraph limited = flows;
    int solves = 1;
    while (true) {
      Candidate fastest = null;
      for (Candidate candidate : candidates(graph, devices, limited, found.schedules())) {
        best = candidate.better(best) ? candidate : best;
        fastest = candidate.faster(fastest) ? candidate : fastest;
      }
      if (best == null || fastest == null || solves == MOST_SOLVES) {
        break;
      }
      if (best.verdict().scattered().isEmpty() && !fastest.faster(best)) {
        break;
      }
      if (solves == 1) {
        further.add(fastest);
        further.addAll(withLess(graph, devices, flows, heuristic, found));
      }
      long[] limits = limited.limits().clone();
      double left = Math.pow(SHRINK, solves);
      fastest.verdict().scattered().forEach(k -> limits[k] = (long) (left * limits[k]));
      limited = limited.withLimits(limits);
      try {
        found = heuristic.again(limited, found);
      } catch (PlanRefusedException late) {
        break;
      }
      solves++;
    }
    if (best == null) {
      return new Outcome(PlacementPlan.NONE, none, solves, List.of());
    }
    return new Outcome(
        plan(best, bound),
        best.verdict(),
        solves,
        further.stream().map(each -> plan(each, bound)).toList());
  }

  /** Returns the moves of a plan, with what they take and a bound. */
  private static PlacementPlan plan(Candidate candidate, double bound) {
    PlacementPlan moves = candidate.plan();
    long nanos = candidate.verdict().nanos();
    return new PlacementPlan(
        moves.places(),
        moves.before(),
        moves.after(),
        nanos,
        Math.min(nanos, Math.max(0, (long) bound)));
  }

  /** Returns the fastest plans for a little less memory; if the time is over, some of them. */
  private static List<Candidate> withLess(
      TaskGraph graph,
      PlanDevices devices,
      FlowGraph flows,
      PriceHeuristic heuristic,
      PriceHeuristic.Found found) {
    List<Candidate> all = new ArrayList<>();
    for (double share : LESS) {
      long[] limits = Arrays.stream(flows.limits()).map(it -> (long) (share * it)).toArray();
      FlowGraph less = flows.withLimits(limits);
      try {
        candidates(graph, devices, less, heuristic.again(less, found).schedules()).stream()
            .min(Comparator.comparingLong(each -> each.verdict().nanos()))
            .ifPresent(all::add);
      } catch (PlanRefusedException late) {
        break;
      }
    }
    return all;
  }

  /** Returns the sound plans of some schedules. */
  private static List<Candidate> candidates(
      TaskGraph graph, PlanDevices devices, FlowGraph flows, List<Schedule> schedules) {
    List<Candidate> candidates = new ArrayList<>();
    for (Schedule schedule : schedules) {
      PlacementPlan plan = MoveEmitter.emit(flows, schedule);
      PlanVerifier.Verdict verdict = PlanVerifier.verify(graph, devices, plan);
      if (verdict.sound()) {
        candidates.add(new Candidate(plan, verdict));
      }
    }
    return candidates;
  }
}
