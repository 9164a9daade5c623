package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.LateArgument;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.Placement.Place;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.RecentGraphs;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ReDL policy. Short-lived tensors are made on the fast device and grow from its low end,
 * long-lived ones from its high end. Long-lived tensors migrate one period ahead of their use. A
 * tensor that has not arrived in time is read on the slow device if that costs less than waiting.
 * In steps that were not announced, and once a step differs from its graph, another policy decides
 * alone.
 *
 * <p>Source: Rang 2021, chapter 6. Its mode makes long-lived tensors on the slow device, never
 * waits, and lets nothing else act. In the other mode the other policy writes objects back ahead,
 * makes room for what kernels create, and handles divisible kernels.
 */
public final class RedlPolicy implements PlacementPolicy {
  /** The variants of the policy: as in the source, or with the improvements. */
  public enum Mode {
    /** Mode of the source, as it is described there. */
    PAPER,
    /** Choice by costs: what gains nothing does not move, kernels wait where that is cheaper. */
    BY_COST
  }

  private final String name;
  private final Mode mode;
  private final PeriodSource source;
  private final PlacementPolicy rest;
  private final Set<MemObject> inPlace = new HashSet<>();
  private final RecentGraphs<Followed> graphs = new RecentGraphs<>();
  private @Nullable Followed followed;
  private boolean announced;
  private boolean migrates;

  /** Whether a kernel of the step was placed; the engine runs a step as a whole if all fits. */
  private boolean placed;

  private long startNanos;

  /** The graph that steps were announced with, and what is known of it. */
  private static final class Followed {
    final StepProfile step;
    final StepTimes times;
    final Migration migration;
    final Map<String, Integer> tensors = new HashMap<>();
    final Set<Integer> startsFast;

    Followed(TaskGraph graph, Mode mode, MemoryView view) {
      step = new StepProfile(graph);
      times = new StepTimes(graph);
      migration = new Migration(step, times, mode == Mode.BY_COST);
      for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
        tensors.put(graph.tensors().get(tensor).name(), tensor);
      }
      startsFast =
          mode == Mode.BY_COST
              ? Set.of()
              : StartPlacement.of(
                      step, view.fast().budgetBytes(), StartPlacement.SlowUse.of(view.times()))
                  .fast();
    }

    /**
     * Returns free space, or space to be taken from objects that are not used in this period and
     * the next one.
     */
    Room room(long bytes, Room.End end, MemoryView view) {
      if (view.hasFastSpace(bytes)) {
        return new Room(end, List.of());
      }
      Victims victims = new Victims(view, migration.kernelsOfTwoPeriods());
      return new Room(end, victims.leaving(bytes), true);
    }
  }

  /**
   * @param source chooses the periods of steps
   * @param rest decides what this policy leaves open; used for no other memory
   */
  public RedlPolicy(String name, Mode mode, PeriodSource source, PlacementPolicy rest) {
    this.name = name;
    this.mode = mode;
    this.source = source;
    this.rest = rest;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void beginStep(TaskGraph graph, MemoryView view) {
    rest.beginStep(graph, view);
    Followed now = graphs.get(graph, any -> new Followed(any, mode, view));
    followed = now;
    Periods periods = source.begin(now.step, view);
    migrates = !periods.equals(Periods.NONE);
    if (migrates) {
      now.migration.begin(periods);
    }
    inPlace.clear();
    announced = true;
    placed = false;
    startNanos = view.nanos();
  }

  /**
   * Returns false in the mode of the source, which creates long-lived tensors on the slow device
   * even if there is space on the fast one.
   */
  @Override
  public boolean idleIfFast() {
    return mode == Mode.BY_COST && rest.idleIfFast();
  }

  private @Nullable Followed known(MemoryView view) {
    return announced && view.stepKnown() ? followed : null;
  }

  private boolean acts(MemoryView view) {
    return mode == Mode.PAPER && migrates && known(view) != null;
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    Placement open = rest.place(request, view);
    Followed now = known(view);
    Integer tensor = now == null ? null : now.tensors.get(request.tensor());
    if (now == null || tensor == null || !migrates) {
      return open;
    }
    boolean shortLived = now.step.shortLived(tensor);
    Room.End end = shortLived ? Room.End.LOW : Room.End.HIGH;
    if (mode == Mode.PAPER) {
      return shortLived || now.startsFast.contains(tensor)
          ? Placement.of(
              new Place(DeviceKind.FAST, now.room(request.bytes(), end, view)), Placement.SLOW)
          : Placement.of(Placement.SLOW);
    }
    List<Place> places = new ArrayList<>();
    for (Place place : open.places()) {
      places.add(new Place(place.device(), new Room(end, place.room().around())));
    }
    return new Placement(places);
  }

  @Override
  public List<Action> makeSpace(AllocationRequest request, MemoryView view) {
    return rest.makeSpace(request, view);
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    return rest.placed(object, request, kernel, view);
  }

  @Override
  public List<Action.UseInPlace> arriving(
      KernelEvent kernel, List<LateArgument> arrivals, MemoryView view) {
    Followed now = known(view);
    if (now == null || !migrates) {
      return List.of();
    }
    long nanos = now.times.fastNanos(kernel.index());
    WaitOrUse choice = new WaitOrUse(view.times());
    List<MemObject> used =
        mode == Mode.PAPER
            ? arrivals.stream().map(LateArgument::object).toList()
            : choice.usedInPlace(arrivals, nanos);
    List<Action.UseInPlace> actions = new ArrayList<>();
    for (MemObject object : used) {
      inPlace.add(object);
      long penalty = choice.penaltyNanos(object.bytes(), nanos);
      actions.add(new Action.UseInPlace(object, Reason.LATE, penalty));
    }
    return actions;
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    List<Action> actions = new ArrayList<>();
    for (Action action : rest.before(kernel, view)) {
      // What is on its way is not fetched again, which would wait for it.
      if (!(action instanceof Action.Fetch fetch) || !inPlace.contains(fetch.object())) {
        actions.add(action);
      }
    }
    inPlace.clear();
    return acts(view) ? List.of() : actions;
  }

  @Override
  public List<Action> done(Outcome outcome, MemoryView view) {
    return rest.done(outcome, view);
  }

  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    placed = true;
    List<Action> open = rest.after(kernel, nanos, view);
    Followed now = known(view);
    if (now == null) {
      return open;
    }
    boolean allFast = kernel.arguments().stream().allMatch(view::inFast);
    now.times.ran(kernel.index(), nanos, allFast);
    if (!migrates) {
      return open;
    }
    List<Action> migrations = now.migration.after(kernel.index(), view);
    if (mode == Mode.PAPER) {
      return migrations;
    }
    List<Action> actions = new ArrayList<>(open);
    actions.addAll(migrations);
    return actions;
  }

  @Override
  public void failed(KernelEvent kernel) {
    inPlace.clear();
    rest.failed(kernel);
  }

  @Override
  public void softEvicted(MemObject object, MemoryView view) {
    rest.softEvicted(object, view);
  }

  @Override
  public List<Action> released(MemObject object, MemoryView view) {
    return rest.released(object, view);
  }

  @Override
  public List<Action> endOfStep(MemoryView view) {
    Followed now = known(view);
    if (now != null && placed) {
      long nanos = Math.max(1, view.nanos() - startNanos);
      source.ended(now.step, now.times.nanos(), nanos, view);
    }
    announced = false;
    return rest.endOfStep(view);
  }

  @Override
  public long kernelNanos(KernelEvent kernel, long fastNanos, MemoryView view) {
    return rest.kernelNanos(kernel, fastNanos, view);
  }
}
