package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.LateArgument;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Outcome;
import io.idlalayer.middleware.placement.api.Placement;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Asks for anything at any time, whether or not it makes sense. */
public final class FakePolicy implements PlacementPolicy {
  private final SplittableRandom random;
  private final List<MemObject> objects = new ArrayList<>();

  public FakePolicy(SplittableRandom random) {
    this.random = random;
  }

  @Override
  public String name() {
    return "anything";
  }

  private Room room() {
    Room.End end = random.nextBoolean() ? Room.End.LOW : Room.End.HIGH;
    return new Room(end, random.nextBoolean() ? objects : List.of());
  }

  private List<Action> anything() {
    List<Action> actions = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0 && !objects.isEmpty(); i--) {
      MemObject object = objects.get(random.nextInt(objects.size()));
      actions.add(
          switch (random.nextInt(6)) {
            case 0 -> new Action.Evict(object, Reason.OFFLOAD, 1);
            case 1 -> new Action.WriteBack(object, Reason.WRITE_AHEAD, 1);
            case 2 -> new Action.Compact(Reason.FRAGMENTED, 1);
            case 3 -> new Action.Fetch(object, room(), true, Reason.PREFETCH, 1);
            default -> new Action.Fetch(object, room(), false, Reason.ARGUMENT, 1);
          });
    }
    return actions;
  }

  @Override
  public Placement place(AllocationRequest request, MemoryView view) {
    return Placement.of(
        random.nextBoolean() ? new Placement.Place(DeviceKind.FAST, room()) : Placement.SLOW,
        Placement.SLOW);
  }

  @Override
  public List<Action> placed(
      MemObject object, AllocationRequest request, @Nullable KernelEvent kernel, MemoryView view) {
    objects.add(object);
    return anything();
  }

  @Override
  public List<Action.UseInPlace> arriving(
      KernelEvent kernel, List<LateArgument> arrivals, MemoryView view) {
    List<Action.UseInPlace> uses = new ArrayList<>();
    for (MemObject object : objects) {
      if (random.nextBoolean()) {
        uses.add(new Action.UseInPlace(object, Reason.LATE, 1));
      }
    }
    return uses;
  }

  @Override
  public List<Action> before(KernelEvent kernel, MemoryView view) {
    return anything();
  }

  @Override
  public List<Action> done(Outcome outcome, MemoryView view) {
    return anything();
  }

  @Override
  public List<Action> after(KernelEvent kernel, long nanos, MemoryView view) {
    return anything();
  }

  @Override
  public List<Action> released(MemObject object, MemoryView view) {
    objects.remove(object);
    return PlacementPolicy.super.released(object, view);
  }

  @Override
  public List<Action> endOfStep(MemoryView view) {
    return anything();
  }
}
