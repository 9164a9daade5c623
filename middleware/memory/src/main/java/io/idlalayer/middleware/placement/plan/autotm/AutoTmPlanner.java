package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.address.Addresses;
import io.idlalayer.middleware.placement.plan.autotm.SearchLimits.Deadline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * AutoTM's planner: chooses for each use of each tensor the device, and for each gap between uses
 * whether it leaves fast memory, so that the predicted time of a step is least. Plans are found by
 * prices ({@link PriceHeuristic}); their time is what {@link PlanVerifier} finds from the moves,
 * never what the search has computed.
 *
 * <p>Each tensor of the fastest plan gets an offset ({@link Addresses}). The kernels at which a
 * tensor finds none get less fast memory and the step is planned again, at most {@value
 * #MOST_SOLVES} times. The allocator may find space for the first plan after all, so that plan is
 * rehearsed too. If no plan has offsets, so are plans for a little less memory at every kernel.
 *
 * <p>A search takes at most 256 MiB of the heap and 30 s ({@link SearchLimits}); a step that needs
 * more is refused.
 *
 * <p>Source: Hildebrand 2020; Hildebrand 2022, chapter 3. Windows of several kernels, writing ahead
 * and the search for offsets are ours.
 */
public final class AutoTmPlanner implements Planner {
  private static final int MOST_SOLVES = 10;

  /** Share of its fast memory that a crowded kernel keeps, once for each time it is planned. */
  private static final double SHRINK = 0.98;

  /** Share that every kernel keeps. */
  private static final double SPARE = 0.99;

  /** Shares of the fast memory for which a step is planned if no plan has offsets. */
  private static final double[] LESS = {0.95, 0.9};

  /** A plan is near its bound if it takes this share longer. */
  private static final double NEAR = 0.15;

  /** Most other schedules that are tried, and most kernels of them together. */
  private static final int MOST_TRIES = 300;

  private static final int TRIED_KERNELS = 400_000;

  /** Most plans for whose tensors offsets are searched each time. */
  private static final int MOST_PLACED = 2;

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
   * @param placed whether every tensor of the plan has an offset
   * @param solves how many times the step was planned
   * @param further plans that may be faster if the allocator finds space for them
   */
  record Outcome(
      PlacementPlan plan,
      PlanVerifier.Verdict verdict,
      boolean placed,
      int solves,
      List<PlacementPlan> further) {
    /** Returns the best plan, then the others, without empty ones. */
    List<PlacementPlan> candidates() {
      return Stream.concat(Stream.of(plan), further.stream())
          .filter(each -> !each.isEmpty())
          .distinct()
          .toList();
    }
  }

  /**
   * A plan and what was found about it.
   *
   * @param placed whether every tensor has an offset
   */
  private record Candidate(PlacementPlan plan, PlanVerifier.Verdict verdict, boolean placed) {
    /** Returns whether this plan is faster than another one. */
    boolean faster(@Nullable Candidate other) {
      return other == null || verdict.nanos() < other.verdict().nanos();
    }

    /** Returns whether this plan alone has offsets or, if both or none have them, is faster. */
    boolean better(Candidate other) {
      return placed == other.placed() ? faster(other) : placed;
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
        new Candidate(waiting.plan(), waiting.verdict(), waiting.placed())
            .better(new Candidate(own.plan(), own.verdict(), own.placed()));
    boolean waits = better && !waiting.plan().isEmpty();
    Outcome first = waits ? waiting : own;
    List<PlacementPlan> further = new ArrayList<>(first.further());
    further.add(waits ? own.plan() : waiting.plan());
    return new Outcome(first.plan(), first.verdict(), first.placed(), first.solves(), further);
  }

  private static Outcome searched(
      Form form, TaskGraph graph, PlanDevices devices, Deadline deadline) {
    PlanVerifier.Verdict none = PlanVerifier.verify(graph, devices, PlacementPlan.NONE);
    if (graph.kernels().isEmpty()) {
      return new Outcome(PlacementPlan.NONE, none, false, 0, List.of());
    }
    FlowGraph flows = FlowGraph.of(graph, devices);
    PriceHeuristic heuristic = new PriceHeuristic(form, PriceHeuristic.Effort.DEFAULT, deadline);
    PriceHeuristic.Found whole = heuristic.run(flows);
    PriceHeuristic.Found found = whole;
    double bound = heuristic.bound(flows, whole);
    List<Candidate> all = new ArrayList<>();
    FlowGraph limited = flows;
    int solves = 1;
    while (true) {
      List<Candidate> fastest =
          fastest(
              new Step(graph, devices, limited, deadline), heuristic, found, tries(graph) / solves);
      if (fastest.isEmpty()) {
        break;
      }
      Placing placing = placed(graph, devices, fastest, deadline);
      if (solves == 1 && fastest.size() > 1) {
        // Rebuilding also finds what the verifier alone believes to be faster.
        List<Candidate> first = fastest.subList(fastest.size() - 1, fastest.size());
        placed(graph, devices, first, deadline).found().ifPresent(all::add);
      }
      if (placing.found().isPresent()) {
        all.add(0, placing.found().get());
        break;
      }
      if (solves == 1) {
        all.add(fastest.get(0));
      }
      if (solves == MOST_SOLVES) {
        all.addAll(withLess(new Step(graph, devices, flows, deadline), heuristic, whole));
        break;
      }
      long[] limits = Arrays.stream(limited.limits()).map(it -> (long) (SPARE * it)).toArray();
      double left = Math.pow(SHRINK, solves);
      placing.crowded().stream().forEach(k -> limits[k] = (long) (left * limits[k]));
      limited = limited.withLimits(limits);
      try {
        found = heuristic.again(limited, found);
      } catch (PlanRefusedException late) {
        break;
      }
      solves++;
    }
    if (all.isEmpty()) {
      return new Outcome(PlacementPlan.NONE, none, false, solves, List.of());
    }
    return new Outcome(
        plan(all.get(0), bound),
        all.get(0).verdict(),
        all.get(0).placed(),
        solves,
        all.stream().skip(1).map(each -> plan(each, bound)).toList());
  }

  /** Returns the moves of a plan, with what they take and a bound. */
  private static PlacementPlan plan(Candidate candidate, double bound) {
    PlacementPlan moves = candidate.plan();
    long nanos = candidate.verdict().nanos();
    return moves.predicting(nanos, Math.min(nanos, Math.max(0, (long) bound)));
  }

  /** A step, with the limits of its kernels. */
  private record Step(TaskGraph graph, PlanDevices devices, FlowGraph flows, Deadline deadline) {
    Candidate candidate(Schedule schedule) {
      PlacementPlan plan = MoveEmitter.emit(flows, schedule);
      return new Candidate(plan, PlanVerifier.verify(graph, devices, plan), false);
    }

    /** Returns what the moves of a schedule take; most if they cannot be carried out. */
    long nanos(Schedule schedule) {
      PlanVerifier.Verdict verdict = candidate(schedule).verdict();
      return verdict.sound() ? verdict.nanos() : Long.MAX_VALUE;
    }
  }

  /** Returns how many other schedules are tried, fewer in a long step. */
  private static int tries(TaskGraph graph) {
    return Math.min(MOST_TRIES, TRIED_KERNELS / graph.kernels().size());
  }

  /**
   * The first plan whose tensors find offsets.
   *
   * @param crowded kernels at which a tensor of the first plan finds none
   */
  private record Placing(Optional<Candidate> found, BitSet crowded) {}

  private static Placing placed(
      TaskGraph graph, PlanDevices devices, List<Candidate> candidates, Deadline deadline) {
    BitSet crowded = new BitSet();
    for (int i = 0; i < Math.min(MOST_PLACED, candidates.size()); i++) {
      Candidate each = candidates.get(i);
      Addresses.Given given = Addresses.of(graph, devices, each.plan(), deadline::check);
      PlacementPlan plan = given.plan();
      if (plan != null) {
        return new Placing(Optional.of(new Candidate(plan, each.verdict(), true)), crowded);
      }
      if (i == 0) {
        crowded = given.crowded();
      }
    }
    return new Placing(Optional.empty(), crowded);
  }

  /** Returns plans for a little less memory; if the time is over, some of them. */
  private static List<Candidate> withLess(
      Step step, PriceHeuristic heuristic, PriceHeuristic.Found found) {
    List<Candidate> all = new ArrayList<>();
    for (double share : LESS) {
      long[] limits = Arrays.stream(step.flows().limits()).map(it -> (long) (share * it)).toArray();
      FlowGraph less = step.flows().withLimits(limits);
      try {
        fastest(
                new Step(step.graph(), step.devices(), less, step.deadline()),
                heuristic,
                heuristic.again(less, found),
                0)
            .stream()
            .findFirst()
            .ifPresent(all::add);
      } catch (PlanRefusedException late) {
        break;
      }
    }
    return all;
  }

  /**
   * Returns plans that can be carried out, the fastest first; empty if there is none. If the time
   * is over, not all schedules are looked at.
   */
  private static List<Candidate> fastest(
      Step step, PriceHeuristic heuristic, PriceHeuristic.Found found, int tries) {
    Schedule fastest = null;
    long least = Long.MAX_VALUE;
    for (Schedule schedule : found.schedules()) {
      if (fastest != null && step.deadline().isOver()) {
        break;
      }
      long nanos = step.nanos(schedule);
      if (nanos < least) {
        least = nanos;
        fastest = schedule;
      }
    }
    return fastest == null
        ? List.of()
        : heuristic
            .rebuilt(step.flows(), fastest, step::nanos, tries, step.devices().seed())
            .stream()
            .map(step::candidate)
            .toList();
  }
}
