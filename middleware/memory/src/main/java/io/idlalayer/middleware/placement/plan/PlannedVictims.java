package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Orders the objects that leave the fast device for others while a plan is followed. Objects that
 * the plan needs on the fast device before it moves them away itself leave last.
 */
final class PlannedVictims {
  /** Kernels before or after which the plan evicts each tensor that it moves, ascending. */
  private final Map<Integer, TreeSet<Integer>> evictions = new HashMap<>();

  private final Set<Integer> moved = new HashSet<>();

  PlannedVictims(PlacementPlan plan) {
    moved.addAll(plan.places().keySet());
    plan.before().forEach((kernel, moves) -> note(kernel - 1, moves));
    plan.after().forEach(this::note);
  }

  private void note(int kernel, List<Move> moves) {
    for (Move move : moves) {
      moved.add(move.tensor());
      if (move.kind() == Kind.EVICT) {
        evictions.computeIfAbsent(move.tensor(), any -> new TreeSet<>()).add(kernel);
      }
    }
  }

  /** Returns the objects of the tensors that the plan moves or places. */
  Set<MemObject> planned(MemoryView view) {
    Set<MemObject> objects = new HashSet<>();
    for (int tensor : moved) {
      MemObject object = view.object(tensor);
      if (object != null) {
        objects.add(object);
      }
    }
    return objects;
  }

  /**
   * Returns objects in the order in which they may leave: first those that the plan does not need,
   * in their given order, then the others, those that are used latest first.
   *
   * @param kernel index of the kernel that runs or runs next
   */
  List<MemObject> order(List<MemObject> candidates, int kernel, MemoryView view) {
    Set<MemObject> needed = needed(kernel, view);
    if (needed.isEmpty()) {
      return candidates;
    }
    List<MemObject> order = new ArrayList<>();
    List<MemObject> last = new ArrayList<>();
    for (MemObject object : candidates) {
      (needed.contains(object) ? last : order).add(object);
    }
    last.sort(Comparator.comparingLong((MemObject object) -> -distance(object, view)));
    order.addAll(last);
    return order;
  }

  private static long distance(MemObject object, MemoryView view) {
    long next = view.nextUse(object);
    return next == MemoryView.UNKNOWN ? MemoryView.NEVER : next;
  }

  /** Returns the objects that are used again before the plan evicts them. */
  private Set<MemObject> needed(int kernel, MemoryView view) {
    Set<MemObject> needed = new HashSet<>();
    for (int tensor : moved) {
      MemObject object = view.object(tensor);
      if (object != null) {
        long next = view.nextUse(object);
        TreeSet<Integer> leaves = evictions.get(tensor);
        Integer eviction = leaves == null ? null : leaves.ceiling(kernel);
        boolean leavesFirst = eviction != null && kernel + next > eviction;
        if (next != MemoryView.UNKNOWN && next != MemoryView.NEVER && !leavesFirst) {
          needed.add(object);
        }
      }
    }
    return needed;
  }
}
