package io.idlalayer.middleware.placement.policies;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.MemoryView;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Objects in the order in which they leave the fast device: those that their owner will not use for
 * a while, then the others by their last use.
 */
public final class UseOrder {
  private final Set<MemObject> used = new LinkedHashSet<>();
  private final Set<MemObject> soft = new LinkedHashSet<>();

  /** An object is used: the last to leave. */
  public void use(MemObject object) {
    remove(object);
    used.add(object);
  }

  /** An object will not be used for a while. Does nothing if it is not in this order. */
  public void soften(MemObject object) {
    if (used.remove(object)) {
      soft.add(object);
    }
  }

  /** An object is not on the fast device any more. */
  public void remove(MemObject object) {
    used.remove(object);
    soft.remove(object);
  }

  /** What is on the fast device, first to leave first. */
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
