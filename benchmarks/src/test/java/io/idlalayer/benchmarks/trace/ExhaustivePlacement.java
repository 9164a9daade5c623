package io.idlalayer.benchmarks.trace;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The least traffic of a step that ends as it began, with whole tensors, by trying everything. Only
 * for a handful of tensors.
 */
final class ExhaustivePlacement {
  private static final char FAST = 'f';
  private static final char BOTH = 'b';
  private static final char SLOW = 's';
  private static final char ABSENT = '-';

  private final TaskGraph graph;
  private final long budget;

  ExhaustivePlacement(TaskGraph graph, long budget) {
    this.graph = graph;
    this.budget = budget;
  }

  long bytes() {
    List<String> starts = List.of("");
    for (int t = 0; t < graph.tensors().size(); t++) {
      List<String> longer = new ArrayList<>();
      for (String start : starts) {
        for (char state :
            graph.creator(t) < 0 ? new char[] {FAST, BOTH, SLOW} : new char[] {ABSENT}) {
          longer.add(start + state);
        }
      }
      starts = longer;
    }
    long best = Long.MAX_VALUE;
    for (String start : starts) {
      if (fits(start)) {
        best = Math.min(best, from(start));
      }
    }
    return best;
  }

  private long from(String start) {
    Map<String, Long> now = Map.of(start, 0L);
    for (int k = 0; k < graph.kernels().size(); k++) {
      now = run(k, moved(now, k));
    }
    return moved(now, 0).getOrDefault(start, Long.MAX_VALUE);
  }

  private boolean fits(String state) {
    long fast = 0;
    for (int t = 0; t < state.length(); t++) {
      fast += state.charAt(t) == FAST || state.charAt(t) == BOTH ? bytes(t) : 0;
    }
    return fast <= budget;
  }

  private long bytes(int tensor) {
    return graph.tensors().get(tensor).bytes();
  }

  /** Returns whether no kernel from a given one on reads what a tensor holds before that kernel. */
  private boolean dead(int tensor, int kernel) {
    int kernels = graph.kernels().size();
    for (int i = 0; i < kernels; i++) {
      TaskGraph.Kernel next = graph.kernels().get((kernel + i) % kernels);
      if (next.uses(tensor)) {
        return !next.reads().contains(tensor);
      }
    }
    return true;
  }

  /** After any moves before a kernel. */
  private Map<String, Long> moved(Map<String, Long> from, int kernel) {
    Map<String, Long> all = new HashMap<>(from);
    for (int t = 0; t < graph.tensors().size(); t++) {
      for (Map.Entry<String, Long> entry : new ArrayList<>(all.entrySet())) {
        char state = entry.getKey().charAt(t);
        if (state == FAST) {
          offer(all, entry.getKey(), t, BOTH, entry.getValue() + bytes(t));
          long copy = dead(t, kernel) ? 0 : bytes(t);
          offer(all, entry.getKey(), t, SLOW, entry.getValue() + copy);
        } else if (state == BOTH) {
          offer(all, entry.getKey(), t, SLOW, entry.getValue());
        } else if (state == SLOW) {
          offer(all, entry.getKey(), t, BOTH, entry.getValue() + bytes(t));
        }
      }
    }
    all.keySet().removeIf(state -> !fits(state));
    return all;
  }

  private static void offer(Map<String, Long> to, String state, int tensor, char next, long cost) {
    to.merge(state.substring(0, tensor) + next + state.substring(tensor + 1), cost, Math::min);
  }

  private Map<String, Long> run(int k, Map<String, Long> from) {
    TaskGraph.Kernel kernel = graph.kernels().get(k);
    Map<String, Long> now = from;
    for (int t = 0; t < graph.tensors().size(); t++) {
      if (!kernel.uses(t)) {
        continue;
      }
      Map<String, Long> next = new HashMap<>();
      for (Map.Entry<String, Long> entry : now.entrySet()) {
        use(kernel, t, entry.getKey(), entry.getValue(), next);
      }
      now = next;
    }
    Map<String, Long> after = new HashMap<>();
    now.forEach(
        (state, cost) -> {
          if (fits(state)) {
            char[] left = state.toCharArray();
            kernel.lifetimes().retires().forEach(t -> left[t] = ABSENT);
            after.merge(new String(left), cost, Math::min);
          }
        });
    return after;
  }

  private void use(
      TaskGraph.Kernel kernel, int t, String state, long cost, Map<String, Long> next) {
    boolean reads = kernel.reads().contains(t);
    boolean writes = kernel.writes().contains(t);
    boolean created = kernel.lifetimes().creates().contains(t);
    char now = state.charAt(t);
    long slow = cost + (reads ? bytes(t) : 0) + (writes ? bytes(t) : 0);
    if (created || !reads) {
      offer(next, state, t, FAST, cost);
      offer(next, state, t, SLOW, created && writes ? cost + bytes(t) : slow);
    } else if (now == SLOW) {
      offer(next, state, t, SLOW, slow);
    } else {
      offer(next, state, t, writes ? FAST : now, cost);
    }
  }
}
