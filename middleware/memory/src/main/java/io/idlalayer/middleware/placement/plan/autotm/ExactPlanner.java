package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.address.Addresses;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer.State;
import io.idlalayer.middleware.placement.plan.solver.SolverFailedException;
import io.idlalayer.middleware.placement.plan.solver.SolverFolder;
import io.idlalayer.middleware.placement.plan.solver.SolverLimits;
import io.idlalayer.middleware.placement.plan.solver.SolverProcess;
import io.idlalayer.middleware.placement.plan.solver.SolverRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * AutoTM's planner with a solver of integer linear programs, which runs as a child process and is
 * no part of the product ({@link SolverFolder}). The solver says only where each tensor is and when
 * it moves. The time of the plan is what {@link PlanVerifier} computes from these moves, and its
 * lower bound is that of {@link Prices}.
 *
 * <p>A step is planned for all of the fast memory, then for a little less, because not every plan
 * finds its space. All of this takes at most {@value #MOST_SECONDS} s. A solution is also used if
 * the solver could not prove in that time that it is the best.
 *
 * <p>Source: Hildebrand 2020; Hildebrand 2022, chapter 3.
 */
public final class ExactPlanner implements Planner {
  /** Name of this planner in reports. */
  public static final String NAME = "autotm-exact";

  /** Most seconds of all searches for the plans of a step. */
  static final int MOST_SECONDS = 60;

  /** A search is not begun with less. */
  private static final double LEAST_SECONDS = 1;

  /** A solution counts as the best if it takes at most this share longer than the bound. */
  private static final double GAP = 1e-4;

  /** Most terms of a program by its estimate, which take up to 200 MiB of the heap. */
  private static final long MOST_TERMS = 8_000_000;

  private static final double[] SHARES = {1, 0.95, 0.9};
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int SEED = 1;
  private static final Logger LOG = LoggerFactory.getLogger(ExactPlanner.class);

  private final Supplier<Optional<SolverProcess>> solver;
  private final LongSupplier nanoTime;

  /** Plans with the solver that {@link SolverFolder} finds when a step is planned. */
  public ExactPlanner() {
    this(
        () -> SolverFolder.find().map(it -> SolverProcess.of(it, SolverLimits.DEFAULT)),
        System::nanoTime);
  }

  /**
   * Creates a planner with a solver; empty if there is none.
   *
   * @param nanoTime the time, in nanoseconds, with which searches are limited
   */
  ExactPlanner(Supplier<Optional<SolverProcess>> solver, LongSupplier nanoTime) {
    this.solver = solver;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public boolean takesLong() {
    return true;
  }

  @Override
  public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
    return candidates(graph, devices).stream()
        .min(Comparator.comparingLong(PlacementPlan::predictedNanos))
        .orElse(PlacementPlan.NONE);
  }

  @Override
  public List<PlacementPlan> candidates(TaskGraph graph, PlanDevices devices) {
    return searches(graph, devices).stream()
        .map(Search::plan)
        .filter(plan -> plan != null && !plan.isEmpty())
        .distinct()
        .toList();
  }

  /**
   * A search for one share of the fast memory.
   *
   * @param share part of the fast memory that it planned for
   * @param answer the solver's
   * @param pricedNanos time of a step under the schedule by prices, with which the search began
   * @param solvedNanos time of a step that the solution of the program has
   * @param boundNanos time of a step that no solution is below, as the solver says; negative
   *     infinity if it says nothing
   * @param searchNanos time that the solver's process took
   * @param plan the best that was made of it; null if it is not sound
   */
  public record Search(
      double share,
      SolverAnswer answer,
      double pricedNanos,
      double solvedNanos,
      double boundNanos,
      long searchNanos,
      @Nullable PlacementPlan plan) {}

  /**
   * Returns the searches that have found something, the one with all memory first.
   *
   * @throws PlanRefusedException if none has
   */
  public List<Search> searches(TaskGraph graph, PlanDevices devices) {
    SolverProcess process =
        solver
            .get()
            .orElseThrow(
                () ->
                    PlanRefusedException.passing(
                        "no solver is installed in " + SolverFolder.describe()));
    PriceHeuristic prices = prices(graph);
    if (graph.kernels().isEmpty()) {
      return List.of();
    }
    FlowGraph flows = FlowGraph.of(graph, devices);
    long terms = ExactProgram.terms(flows);
    if (terms > MOST_TERMS) {
      throw new PlanRefusedException(
          String.format(
              Locale.ROOT,
              "its program would have about %,d terms, at most %,d are solved",
              terms,
              MOST_TERMS));
    }
    PriceHeuristic.Found found = prices.run(flows);
    double bound = prices.bound(flows, found);
    List<Search> searches = new ArrayList<>();
    long end = nanoTime.getAsLong() + (long) (MOST_SECONDS * NANOS_PER_SECOND);
    for (double share : SHARES) {
      // The first search is worth more than the others.
      double seconds = (end - nanoTime.getAsLong()) / NANOS_PER_SECOND / 2;
      if (seconds < LEAST_SECONDS) {
        break;
      }
      long[] limits = Arrays.stream(flows.limits()).map(it -> (long) (share * it)).toArray();
      FlowGraph less = flows.withLimits(limits);
      try {
        if (share < 1) {
          found = prices(graph).again(less, found);
        }
        Step step = new Step(graph, devices, share, less, bound, found.schedules().get(0));
        searches.add(search(step, process, seconds));
      } catch (PlanRefusedException late) {
        break;
      } catch (SolverFailedException failed) {
        LOG.warn(
            "the solver found no plan for {} of the fast memory of a step of {} kernels: {}",
            share,
            graph.kernels().size(),
            failed.getMessage());
        if (searches.isEmpty()) {
          throw PlanRefusedException.passing(String.valueOf(failed.getMessage()));
        }
        break;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw PlanRefusedException.passing("it was interrupted");
      }
    }
    return searches;
  }

  /**
   * A step that is planned for a share of its memory.
   *
   * @param start schedule by prices
   */
  private record Step(
      TaskGraph graph,
      PlanDevices devices,
      double share,
      FlowGraph flows,
      double bound,
      Schedule start) {}

  private Search search(Step step, SolverProcess process, double seconds)
      throws SolverFailedException, InterruptedException {
    ExactProgram program = new ExactProgram(step.flows(), Form.WINDOWS, step.start().paths());
    long begin = nanoTime.getAsLong();
    SolverAnswer answer =
        process.solve(
            new SolverRequest(program.program(), program.startValues(), seconds, GAP, SEED));
    long searchNanos = nanoTime.getAsLong() - begin;
    if (!answer.solved()) {
      throw new SolverFailedException(
          answer.state() == State.FAILED
              ? "the solver failed: " + answer.message()
              : String.format(
                  Locale.ROOT,
                  "the solver found nothing within %.0f s (%s)",
                  seconds,
                  answer.state()));
    }
    return new Search(
        step.share(),
        answer,
        step.start().nanos(),
        program.nanos(answer.cost()),
        program.nanos(answer.bound()),
        searchNanos,
        best(step, program.paths(answer.values())));
  }

  /** Returns a search by prices whose time begins now. */
  private static PriceHeuristic prices(TaskGraph graph) {
    return new PriceHeuristic(
        Form.WINDOWS, PriceHeuristic.Effort.DEFAULT, SearchLimits.DEFAULT.begin(graph));
  }

  private static @Nullable PlacementPlan best(Step step, List<TensorPath> paths) {
    PlacementPlan best = null;
    long least = Long.MAX_VALUE;
    for (Schedule schedule : prices(step.graph()).improved(step.flows(), paths)) {
      PlacementPlan moves = MoveEmitter.emit(step.flows(), schedule);
      PlanVerifier.Verdict verdict = PlanVerifier.verify(step.graph(), step.devices(), moves);
      if (verdict.sound() && verdict.nanos() < least) {
        least = verdict.nanos();
        best = moves.predicting(least, Math.min(least, Math.max(0, (long) step.bound())));
      }
    }
    return best == null ? null : Addresses.orAnywhere(step.graph(), step.devices(), best);
  }
}
