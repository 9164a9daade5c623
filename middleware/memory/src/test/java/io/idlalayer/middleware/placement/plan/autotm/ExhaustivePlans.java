package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.util.ArrayList;
import java.util.List;

/**
 * The least time of a step whose copies everything waits for, by trying every path of every tensor.
 * Shares nothing with the planner. Only for a handful of tensors.
 */
final class ExhaustivePlans {
  private final TaskGraph graph;
  private final PlanDevices devices;
  private final boolean moving;
  private final List<List<Choice>> choices = new ArrayList<>();
  private final long[] occupied;
  private final List<List<Integer>> slow = new ArrayList<>();
  private long best;

  /**
   * A path of a tensor.
   *
   * @param occupies kernels at which it is fast
   * @param slow kernels that use it where it is slow
   * @param nanos time of its copies, in nanoseconds
   */
  private record Choice(List<Integer> occupies, List<Integer> slow, long nanos) {}

  private ExhaustivePlans(TaskGraph graph, PlanDevices devices, boolean moving) {
    this.graph = graph;
    this.devices = devices;
    this.moving = moving;
    occupied = new long[graph.kernels().size()];
    for (int k = 0; k < occupied.length; k++) {
      slow.add(new ArrayList<>());
    }
    for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
      choices.add(choices(tensor));
    }
  }

  /**
   * Returns the least nanoseconds of a step.
   *
   * @param moving whether tensors may be copied
   */
  static long nanos(TaskGraph graph, PlanDevices devices, boolean moving) {
    ExhaustivePlans plans = new ExhaustivePlans(graph, devices, moving);
    plans.best = Long.MAX_VALUE;
    plans.visit(0, 0);
    return plans.best;
  }

  private void visit(int tensor, long copies) {
    long now = copies + kernels();
    if (now >= best) {
      return;
    }
    if (tensor == choices.size()) {
      best = now;
      return;
    }
    long bytes = devices.alignedBytes(graph.tensors().get(tensor).bytes());
    for (Choice choice : choices.get(tensor)) {
      choice.occupies().forEach(k -> occupied[k] += bytes);
      Integer added = tensor;
      choice.slow().forEach(k -> slow.get(k).add(added));
      if (choice.occupies().stream().allMatch(k -> occupied[k] <= devices.fastBytes())) {
        visit(tensor + 1, copies + choice.nanos());
      }
      choice.occupies().forEach(k -> occupied[k] -= bytes);
      choice.slow().forEach(k -> slow.get(k).remove(added));
    }
  }

  private long kernels() {
    long sum = 0;
    for (int k = 0; k < occupied.length; k++) {
      TaskGraph.Kernel kernel = graph.kernels().get(k);
      long in = 0;
      long out = 0;
      for (int tensor : slow.get(k)) {
        long bytes = graph.tensors().get(tensor).bytes();
        boolean made = graph.creator(tensor) == k && kernel.writes().contains(tensor);
        in += kernel.reads().contains(tensor) && !made ? bytes : 0;
        out += kernel.writes().contains(tensor) ? bytes : 0;
      }
      sum +=
          devices.times().model().kernelNanos(devices.times().slow(), kernel.fastNanos(), in, out);
    }
    return sum;
  }

  private List<Choice> choices(int tensor) {
    List<Integer> users = graph.users(tensor);
    List<Choice> all = new ArrayList<>();
    if (users.isEmpty()) {
      all.add(new Choice(List.of(), List.of(), 0));
      return all;
    }
    int gaps = graph.creator(tensor) < 0 ? users.size() : users.size() - 1;
    for (int fast = 0; fast < 1 << users.size(); fast++) {
      for (int moves = 0; moves < 1 << gaps; moves++) {
        Choice choice = choice(tensor, users, gaps, fast, moves);
        if (choice != null) {
          all.add(choice);
        }
      }
    }
    return all;
  }

  private Choice choice(int tensor, List<Integer> users, int gaps, int fast, int moves) {
    int steps = graph.kernels().size();
    int count = users.size();
    List<Integer> occupies = new ArrayList<>();
    List<Integer> slowUses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ((fast >> i & 1) == 1 ? occupies : slowUses).add(users.get(i));
    }
    long nanos = 0;
    for (int gap = 0; gap < gaps; gap++) {
      int next = (gap + 1) % count;
      boolean from = (fast >> gap & 1) == 1;
      boolean to = (fast >> next & 1) == 1;
      boolean move = (moves >> gap & 1) == 1;
      if (move ? !from && !to : from != to) {
        return null;
      }
      if (move && !moving) {
        return null;
      }
      int length = Math.floorMod(users.get(next) - users.get(gap) - 1, steps);
      if (!move && from) {
        for (int i = 1; i <= length; i++) {
          occupies.add((users.get(gap) + i) % steps);
        }
      }
      if (move && from && changed(tensor, users, gap, moves)) {
        nanos += devices.times().copyOut(graph.tensors().get(tensor).bytes());
      }
      nanos += move && to ? devices.times().copyIn(graph.tensors().get(tensor).bytes()) : 0;
    }
    return new Choice(occupies, slowUses, nanos);
  }

  /** Returns whether a fast tensor was written after it came to the fast device. */
  private boolean changed(int tensor, List<Integer> users, int gap, int moves) {
    int count = users.size();
    int use = gap;
    for (int i = 0; i < count; i++) {
      if (graph.kernels().get(users.get(use)).writes().contains(tensor)) {
        return true;
      }
      int before = Math.floorMod(use - 1, count);
      if (use == 0 && graph.creator(tensor) >= 0) {
        return true;
      }
      if ((moves >> before & 1) == 1) {
        return false;
      }
      use = before;
    }
    return false;
  }
}
