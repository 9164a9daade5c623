package io.idlalayer.middleware.placement.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How often tensors have left the fast device because they lay elsewhere than a plan wants them.
 * When a plan begins to be followed, one tensor may lie where another one goes, so some tensors
 * find their offsets only in the second or third step. A tensor leaves for that reason at most
 * {@value #MOST_TIMES} times under a plan: if an object in use keeps it from its offset, or a plan
 * of another step wants it at another one, it would otherwise be copied in every step. The tensors
 * of the {@value #MOST} plans that were followed last are known. One thread at a time.
 */
final class SettledTensors {
  /** Most plans whose tensors are known. */
  static final int MOST = 8;

  /** Most times that a tensor leaves because it lies elsewhere. */
  static final int MOST_TIMES = 4;

  private record Settled(PlacementPlan plan, Map<Integer, Integer> times) {}

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
    plans.add(new Settled(plan, new HashMap<>()));
  }

  /**
   * Records that a tensor leaves because it lies elsewhere. Returns false if it has left for that
   * reason too often, and so stays.
   */
  boolean add(int tensor) {
    Map<Integer, Integer> times = plans.get(plans.size() - 1).times();
    return times.merge(tensor, 1, (before, one) -> Math.min(MOST_TIMES + 1, before + one))
        <= MOST_TIMES;
  }
}
