package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Reason;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Retired objects in a runtime without eager retirement: they keep their memory, and are written
 * back like others, until a collection finds them, at the end of a step or when the slow device is
 * nearly full.
 *
 * <p>Source: Hildebrand 2022, chapter 4: garbage is collected after each training iteration.
 */
public final class DeferredRetirement {
  /** Share of the slow device that starts a collection. */
  private static final double TRIGGER = 0.8;

  private final Set<MemObject> dead = new LinkedHashSet<>();

  /**
   * Notes a retired object. Returns the actions of a collection if the slow device is nearly full.
   */
  public List<Action> add(MemObject object, MemoryView view) {
    dead.add(object);
    DeviceUse use = view.slow();
    return use.occupiedBytes() >= TRIGGER * use.budgetBytes() ? collect() : List.of();
  }

  /** Frees all retired objects. */
  public List<Action> collect() {
    List<Action> releases = new ArrayList<>();
    for (MemObject object : dead) {
      releases.add(new Action.Release(object, Reason.COLLECTED, 0));
    }
    dead.clear();
    return releases;
  }
}
