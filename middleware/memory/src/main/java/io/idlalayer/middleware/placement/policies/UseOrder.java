package io.idlalayer.middleware.placement.policies;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.MemoryView;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The order in which objects leave the fast device: softly evicted ones first, then the others, the
 * least recently used first.
 */
public final class UseOrder {
  private final Set<MemObject> used = new LinkedHashSet<>();
  private final Set<MemObject> soft = new LinkedHashSet<>();

  /** Records a use of an object, which becomes the last to leave. */
  public void use(MemObject object) {
    remove(object);
    used.add(object);
  }

  /**
   * Records that an object will not be used for a while, so that it leaves before others. Does
   * nothing if it is not in this order.
   */
  public void soften(MemObject object) {
    if (used.remove(object)) {
      soft.add(object);
    }
  }

  /** Removes an object from this order, because it is not on the fast device any more. */
  public void remove(MemObject object) {
    used.remove(object);
    soft.remove(object);
  }

  /** Returns the objects on the fast device, the first to leave first. */
  public List<MemObject> firstToLeave(MemoryView view) {
    List<MemObject> order = new ArrayList<>(soft.size() + used.size());
    for (Set<MemObject> objects : List.of(soft, used)) {
      for (MemObject object : objects) {
        if (view.inFast(object)) {
          order.add(object);
        }
      }
    }
    return order;
  }
}
