package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Guesses in how many kernels an object is used again: as many as an object was that stood at the
 * same place of the same kernel in an earlier step. Steps of training repeat, so that the second
 * one is predicted well.
 */
final class ReusePredictor {
  /** No step has shown it yet. */
  static final long UNKNOWN = -1;

  private static final double HORIZON = 16;
  private static final double SOFT = 0.25;

  private record Place(String kernel, int index, int argument) {}

  private record Use(Place place, long at) {}

  private final Map<Place, Long> distances = new HashMap<>();
  private final Map<MemObject, Use> last = new WeakHashMap<>();
  private long now;
  private String running = "";
  private int index;
  private int created;

  /** A kernel runs. */
  void kernel(KernelEvent event) {
    now++;
    running = event.name();
    index = event.index();
    created = 0;
    int argument = 0;
    for (MemObject object : event.reads()) {
      use(object, new Place(event.name(), event.index(), argument++));
    }
    for (MemObject object : event.writes()) {
      use(object, new Place(event.name(), event.index(), argument++));
    }
  }

  /** The running kernel has made an object. */
  void created(MemObject object) {
    use(object, new Place(running, index, - ++created));
  }

  private void use(MemObject object, Place place) {
    Use before = last.put(object, new Use(place, now));
    if (before != null && before.at() < now) {
      distances.put(before.place(), now - before.at());
    }
  }

  void retired(MemObject object) {
    last.remove(object);
  }

  /** Kernels from now until the next use, 0 if it is overdue, or {@link #UNKNOWN}. */
  long distance(MemObject object) {
    Use use = last.get(object);
    Long distance = use == null ? null : distances.get(use.place());
    return use == null || distance == null ? UNKNOWN : Math.max(0, use.at() + distance - now);
  }

  /**
   * How likely an object is used before others that could go, 0 to 1: the sooner, the likelier; if
   * no step has shown it, the later it was used the likelier.
   *
   * @param soft whether its owner said that it will not be used for a while
   */
  double soon(MemObject object, boolean soft) {
    long distance = distance(object);
    if (distance != UNKNOWN) {
      return HORIZON / (HORIZON + distance);
    }
    return (soft ? SOFT : 1) * HORIZON / (HORIZON + age(object));
  }

  /** Kernels since the last use; 0 if there was none. */
  long age(MemObject object) {
    Use use = last.get(object);
    return use == null ? 0 : now - use.at();
  }
}
