package io.idlalayer.benchmarks.placement;

import io.idlalayer.benchmarks.placement.PlacementPlan.Move;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Follows a plan of the step as long as its kernels are those of the announced graph. All that the
 * plan leaves open, other kernels and steps that were not announced are handled as {@code
 * cached-arrays-lm} does.
 */
public final class PlannedPolicy implements PlacementPolicy {
  private final Planner planner;
  private final LruPlacement unplanned;
  private @Nullable TaskGraph graph;
  private long fastBytes;
  private PlacementPlan plan = PlacementPlan.NONE;

  /** A policy that plans each graph once. */
  public PlannedPolicy(String name, Planner planner) {
    this.planner = planner;
    unplanned = new LruPlacement(name, LruPlacement.Mode.LM);
  }

  @Override
  public String name() {
    return unplanned.name();
  }

  @Override
  public void beginStep(TaskGraph announced, MemoryView view) {
    long budget = view.fast().budgetBytes();
    if (!announced.equals(graph) || fastBytes != budget) {
      plan = planner.plan(announced, budget);
      graph = announced;
      fastBytes = budget;
    }
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    return unplanned.place(request, view);
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    return unplanned.placed(object, request, kernel, view);
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    List<Action> actions = new ArrayList<>(unplanned.before(kernel, view));
    if (view.stepKnown()) {
      actions.addAll(actions(plan.before(kernel.index()), view));
    }
    return actions;
  }

  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    return view.stepKnown() ? actions(plan.after(kernel.index()), view) : List.of();
  }

  private List<Action> actions(List<Move> moves, MemoryView view) {
    List<Action> actions = new ArrayList<>();
    for (Move move : moves) {
      MemObject object = view.object(move.tensor());
      if (object != null) {
        actions.add(action(move, object, view));
      }
    }
    return actions;
  }

  private Action action(Move move, MemObject object, MemoryView view) {
    long in = view.times().copyIn(object.bytes());
    long out = view.times().copyOut(object.bytes());
    return switch (move.kind()) {
      case FETCH -> new Action.Fetch(object, room(object, view), false, move.reason(), in);
      case FETCH_AHEAD -> new Action.Fetch(object, room(object, view), true, move.reason(), in);
      case WRITE_BACK -> new Action.WriteBack(object, move.reason(), out);
      case EVICT -> new Action.Evict(object, move.reason(), out);
    };
  }

  private Room room(MemObject object, MemoryView view) {
    return view.hasFastSpace(object.bytes()) ? Room.FREE : unplanned.victims(view);
  }

  @Override
  public List<Action> done(Outcome outcome, MemoryView view) {
    return unplanned.done(outcome, view);
  }

  @Override
  public void softEvicted(MemObject object, MemoryView view) {
    unplanned.softEvicted(object, view);
  }

  @Override
  public List<Action> released(MemObject object, MemoryView view) {
    return unplanned.released(object, view);
  }

  @Override
  public List<Action> endOfStep(MemoryView view) {
    return unplanned.endOfStep(view);
  }
}
