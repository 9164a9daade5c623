package io.idlalayer.middleware.placement.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The tensors that have left the fast device because they lay elsewhere than a plan wants them. A
 * tensor leaves for that reason once under a plan: if an object in use keeps it from its offset, or
 * a plan of another step wants it at another one, it would otherwise be copied in every step. The
 * tensors of the {@value #MOST} plans that were followed last are known. One thread at a time.
 */
final class SettledTensors {
  /** Most plans whose tensors are known. */
  static final int MOST = 8;

  private record Settled(PlacementPlan plan, BitSet tensors) {}

  /** The plan that is followed is at the end. */
  private final List<Settled> plans = new ArrayList<>();

  /** Begins to follow a plan, for the first time or again. */
  void follow(PlacementPlan plan) {
    for (int i = plans.size() - 1; i >= 0; i--) {
      if (plans.get(i).plan().equals(plan)) {
        plans.add(plans.remove(i));
        return;
      }
    }
    if (plans.size() == MOST) {
      plans.remove(0);
    }
    plans.add(new Settled(plan, new BitSet()));
  }

  /**
   * Records that a tensor leaves because it lies elsewhere. Returns false if it has left for that
   * reason before.
   */
  boolean add(int tensor) {
    BitSet tensors = plans.get(plans.size() - 1).tensors();
    boolean first = !tensors.get(tensor);
    tensors.set(tensor);
    return first;
  }
}
