package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.KernelSite;
import io.idlalayer.middleware.placement.api.MemoryView;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Predicts how many kernels later an object is used next. The prediction is the number observed in
 * an earlier step for the object in the same argument of the same kernel. Steps of training repeat,
 * so the second one is predicted well.
 */
final class ReusePredictor {
  private record Place(String kernel, int index, int argument) {}

  private record Use(Place place, long at) {}

  private final Map<Place, Long> distances = new HashMap<>();
  private final Map<MemObject, Use> last = new WeakHashMap<>();
  private final Map<KernelSite, Integer> created = new HashMap<>();
  private long now;

  /**
   * Counts a kernel of an announced step. The predictor learns nothing from it, because the graph
   * says when objects are used.
   */
  void passed() {
    now++;
  }

  /** Learns from the arguments of a kernel that begins. */
  void kernel(KernelEvent event) {
    now++;
    created.put(event.site(), 0);
    int argument = 0;
    for (MemObject object : event.reads()) {
      use(object, new Place(event.name(), event.index(), argument++));
    }
    for (MemObject object : event.writes()) {
      use(object, new Place(event.name(), event.index(), argument++));
    }
  }

  /** Records that a kernel has created an object, as a use of the object. */
  void created(KernelEvent kernel, MemObject object) {
    int made = created.merge(kernel.site(), 1, Integer::sum);
    use(object, new Place(kernel.name(), kernel.index(), -made));
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

  /**
   * Returns the predicted number of kernels from now until an object's next use. It is 0 if the use
   * is overdue, and {@link MemoryView#UNKNOWN} if no step has shown it yet.
   */
  long distance(MemObject object) {
    Use use = last.get(object);
    Long distance = use == null ? null : distances.get(use.place());
    return use == null || distance == null
        ? MemoryView.UNKNOWN
        : Math.max(0, use.at() + distance - now);
  }
}
