package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.LateArgument;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.Placement.Place;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows a plan of the step as long as its kernels are those of the announced graph. Another
 * policy decides all that the plan leaves open, other kernels and steps that were not announced.
 */
public final class PlannedPolicy implements PlacementPolicy {
  private final String name;
  private final PlanSource plans;
  private final PlacementPolicy unplanned;
  private PlacementPlan plan = PlacementPlan.NONE;
  private PlannedVictims victims = new PlannedVictims(plan);
  private final SettledTensors settled = new SettledTensors();
  private Map<String, Integer> tensors = Map.of();
  private @Nullable TaskGraph graph;
  private boolean announced;
  private int kernelIndex;

  /** The kernel for which the plan's moves are under way, before the other policy is asked. */
  private @Nullable KernelEvent moving;

  private int movesLeft;

  /** Tensors that the plan has on the slow device now. */
  private final Set<Integer> plannedSlow = new HashSet<>();

  /** Offset at which the plan has each tensor on the fast device now, if it has one. */
  private final Map<Integer, Long> plannedOffsets = new HashMap<>();

  /**
   * @param unplanned decides what plans leave open; used for no other memory
   */
  public PlannedPolicy(String name, PlanSource plans, PlacementPolicy unplanned) {
    this.name = name;
    this.plans = plans;
    this.unplanned = unplanned;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Recomputation recomputation(TaskGraph step, MemoryView view) {
    PlacementPlan next = plans.begin(step, view);
    if (!next.equals(plan)) {
      plan = next;
      victims = new PlannedVictims(next);
      settled.follow(next);
      plannedSlow.clear();
      plannedOffsets.clear();
    }
    return next.recomputation();
  }

  @Override
  public void beginStep(TaskGraph step, MemoryView view) {
    unplanned.beginStep(step, view);
    if (!step.equals(graph)) {
      graph = step;
      tensors = names(step);
    }
    announced = true;
    kernelIndex = 0;
    moving = null;
  }

  @Override
  public boolean idleIfFast() {
    return plan.isEmpty() && unplanned.idleIfFast();
  }

  private static Map<String, Integer> names(TaskGraph graph) {
    Map<String, Integer> names = new HashMap<>();
    for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
      names.put(graph.tensors().get(tensor).name(), tensor);
    }
    return names;
  }

  private boolean followed(MemoryView view) {
    return announced && !plan.isEmpty() && view.stepKnown();
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    Placement open = unplanned.place(request, view);
    if (!followed(view)) {
      return open;
    }
    Integer tensor = tensors.get(request.tensor());
    CreationPlace place = tensor == null ? null : plan.places().get(tensor);
    if (tensor != null) {
      plannedSlow.remove(tensor);
      plannedOffsets.remove(tensor);
    }
    if (tensor != null && place == CreationPlace.SLOW) {
      plannedSlow.add(tensor);
      // If the slow device is full, the step goes on where the other policy would put it.
      List<Place> places = new ArrayList<>(List.of(Placement.SLOW));
      places.addAll(open.places());
      return new Placement(places);
    }
    List<Place> places = new ArrayList<>();
    Long offset = tensor == null ? null : plan.offsets().get(tensor);
    if (offset != null) {
      plannedOffsets.put(tensor, offset);
      places.add(new Place(DeviceKind.FAST, Room.FREE.at(offset)));
    }
    if (place == CreationPlace.FAST && open.places().get(0).device() != DeviceKind.FAST) {
      places.add(Placement.FAST);
    }
    open.places().forEach(each -> places.add(new Place(each.device(), open(each.room(), view))));
    return new Placement(places);
  }

  @Override
  public List<Action> makeSpace(AllocationRequest request, MemoryView view) {
    return unplanned.makeSpace(request, view);
  }

  /**
   * Tells the other policy about a new object, unless the plan has created it on the slow device.
   */
  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    Integer tensor = tensors.get(request.tensor());
    if (tensor != null && plannedSlow.contains(tensor) && followed(view)) {
      return List.of();
    }
    return unplanned.placed(object, request, kernel, view);
  }

  @Override
  public List<Action.UseInPlace> arriving(
      KernelEvent kernel, List<LateArgument> arrivals, MemoryView view) {
    return unplanned.arriving(kernel, arrivals, view);
  }

  /**
   * Returns the plan's moves. Once they are done, the other policy is asked, which then sees where
   * they have put the kernel's arguments.
   */
  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    kernelIndex = kernel.index();
    moving = null;
    List<Action> moves = followed(view) ? actions(plan.before(kernel.index()), view) : List.of();
    if (moves.isEmpty()) {
      return open(kernel, view);
    }
    moving = kernel;
    movesLeft = moves.size();
    return moves;
  }

  @Override
  public List<Action> done(Outcome outcome, MemoryView view) {
    List<Action> answers = unplanned.done(outcome, view);
    KernelEvent kernel = moving;
    if (kernel == null || --movesLeft > 0) {
      return answers;
    }
    moving = null;
    List<Action> all = new ArrayList<>(answers);
    all.addAll(open(kernel, view));
    return all;
  }

  /**
   * Returns what the other policy does, without fetching what the plan has on the slow device. What
   * it fetches goes where the plan has it: elsewhere it would be in the way of others, which would
   * evict it in every step.
   */
  private List<Action> open(KernelEvent kernel, MemoryView view) {
    List<Action> open = unplanned.before(kernel, view);
    if (open.isEmpty() || !followed(view)) {
      return open;
    }
    Set<MemObject> staying = new HashSet<>();
    for (int tensor : plannedSlow) {
      MemObject object = view.object(tensor);
      if (object != null) {
        staying.add(object);
      }
    }
    Map<MemObject, Long> offsets = new HashMap<>();
    plannedOffsets.forEach(
        (tensor, offset) -> {
          MemObject object = view.object(tensor);
          if (object != null) {
            offsets.put(object, offset);
          }
        });
    return open.stream()
        .filter(it -> !(it instanceof Action.Fetch fetch && staying.contains(fetch.object())))
        .map(it -> it instanceof Action.Fetch fetch ? at(offsets.get(fetch.object()), fetch) : it)
        .toList();
  }

  /** Returns a fetch to an offset. What is fetched ahead takes free space only, wherever it is. */
  private static Action.Fetch at(@Nullable Long offset, Action.Fetch fetch) {
    return offset == null || fetch.ahead()
        ? fetch
        : new Action.Fetch(
            fetch.object(),
            fetch.room().at(offset),
            fetch.ahead(),
            fetch.reason(),
            fetch.expectedNanos());
  }

  /** Returns the plan's moves, and what the other policy does with tensors that it leaves open. */
  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    List<Action> open = unplanned.after(kernel, nanos, view);
    if (announced && view.stepKnown()) {
      plans.ran(kernel, nanos, view);
    }
    if (!followed(view)) {
      return open;
    }
    List<Action> actions = actions(plan.after(kernel.index()), view);
    Set<MemObject> planned = open.isEmpty() ? Set.of() : victims.planned(view);
    for (Action action : open) {
      if (!(action instanceof Action.WriteBack back) || !planned.contains(back.object())) {
        actions.add(action);
      }
    }
    return actions;
  }

  private List<Action> actions(List<Move> moves, MemoryView view) {
    List<Action> actions = new ArrayList<>();
    Set<MemObject> elsewhere = new HashSet<>();
    // All of them leave first: one may lie where another one goes.
    for (Move move : moves) {
      MemObject object = view.object(move.tensor());
      if (object != null && isElsewhere(move, object, view) && settled.add(move.tensor())) {
        elsewhere.add(object);
        actions.add(new Action.Evict(object, move.reason(), view.times().copyOut(object.bytes())));
      }
    }
    for (Move move : moves) {
      MemObject object = view.object(move.tensor());
      switch (move.kind()) {
        case EVICT -> {
          plannedSlow.add(move.tensor());
          plannedOffsets.remove(move.tensor());
        }
        case FETCH, FETCH_AHEAD -> {
          plannedSlow.remove(move.tensor());
          if (move.offset() == Room.ANYWHERE) {
            plannedOffsets.remove(move.tensor());
          } else {
            plannedOffsets.put(move.tensor(), move.offset());
          }
        }
        case WRITE_BACK -> {}
      }
      if (object != null && (elsewhere.contains(object) || hasEffect(move.kind(), object, view))) {
        actions.add(action(move, object, view));
      }
    }
    return actions;
  }

  /**
   * Returns whether a move has anything to do: tensors may be elsewhere than the plan assumes. A
   * fast tensor that is being copied is on its way to the slow device; kernels may read it.
   */
  private static boolean hasEffect(Kind kind, MemObject object, MemoryView view) {
    boolean fast = view.inFast(object);
    boolean copying = view.copying(object);
    return switch (kind) {
      case FETCH -> !fast;
      case FETCH_AHEAD -> !fast && !copying;
      case WRITE_BACK -> fast && !copying && view.needsWriteBack(object);
      case EVICT -> fast || copying;
    };
  }

  /**
   * Returns whether a tensor is on the fast device, but not where a move wants it. That is so when
   * a plan begins to be followed, or when another policy has fetched the tensor.
   */
  private static boolean isElsewhere(Move move, MemObject object, MemoryView view) {
    return move.offset() != Room.ANYWHERE
        && view.inFast(object)
        && view.offset(object) != move.offset();
  }

  private Action action(Move move, MemObject object, MemoryView view) {
    long in = view.times().copyIn(object.bytes());
    long out = view.times().copyOut(object.bytes());
    return switch (move.kind()) {
      case FETCH ->
          new Action.Fetch(object, room(object, view).at(move.offset()), false, move.reason(), in);
      case FETCH_AHEAD ->
          new Action.Fetch(object, room(object, view).at(move.offset()), true, move.reason(), in);
      case WRITE_BACK -> new Action.WriteBack(object, move.reason(), out);
      case EVICT -> new Action.Evict(object, move.reason(), out);
    };
  }

  /** Returns room as the other policy makes it, but with objects that the plan needs last. */
  private Room room(MemObject object, MemoryView view) {
    AllocationRequest request = new AllocationRequest(object.bytes(), Hint.FAST);
    return unplanned.place(request, view).places().stream()
        .filter(place -> place.device() == DeviceKind.FAST)
        .findFirst()
        .map(place -> open(place.room(), view))
        .orElse(Room.FREE);
  }

  private Room open(Room room, MemoryView view) {
    return new Room(room.end(), victims.order(room.around(), kernelIndex, view));
  }

  @Override
  public void failed(KernelEvent kernel) {
    moving = null;
    unplanned.failed(kernel);
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
    if (announced) {
      plans.ended(view);
    }
    announced = false;
    return unplanned.endOfStep(view);
  }

  @Override
  public Optional<StepCosts> stepCosts(MemoryView view) {
    return plans.costs(view);
  }

  @Override
  public Optional<PlanUse> planUse() {
    return plans.use();
  }

  @Override
  public long kernelNanos(KernelEvent kernel, long fastNanos, MemoryView view) {
    return unplanned.kernelNanos(kernel, fastNanos, view);
  }
}
