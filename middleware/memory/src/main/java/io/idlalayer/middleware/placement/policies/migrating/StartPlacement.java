package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The choice of the tensors that are created on the fast device, made as if no tensor moved.
 * Tensors that save the most time for each byte are chosen as long as they fit at every kernel.
 * Then tensors are exchanged while that saves more: a chosen one for others, or those that are in
 * the way of another for that one. Migration starts from this choice.
 *
 * <p>Source: Rang 2021, chapter 6, whose integer program this approximates.
 *
 * @param fast indexes of the tensors on the fast device
 * @param savedNanos by which a step is shorter than with everything on the slow device
 */
record StartPlacement(Set<Integer> fast, double savedNanos) {
  /** The cost of one use of a tensor on the slow device. */
  @FunctionalInterface
  interface SlowUse {
    /**
     * Returns how many nanoseconds longer a kernel takes if it uses a tensor on the slow device.
     */
    double nanos(long bytes, boolean reads, boolean writes);

    /** Returns the costs by the cost model; the slow uses of one kernel are added up. */
    static SlowUse of(TransferTimes times) {
      return (bytes, reads, writes) -> {
        long fast = Math.round(bytes / times.fast().readBytesPerSecond() * 1e9);
        return times.inPlace(reads ? fast : 0, reads ? bytes : 0, writes ? bytes : 0);
      };
    }
  }

  private static final int MOST_ROUNDS = 8;

  /** Most times that it is looked whether a tensor fits; bounds the time of the exchanges. */
  private static final int MOST_CHECKS = 200_000;

  StartPlacement {
    fast = Set.copyOf(fast);
  }

  /** Finds a placement for a budget of the fast device. */
  static StartPlacement of(StepProfile step, long fastBytes, SlowUse cost) {
    return new Search(step, fastBytes, cost).run();
  }

  private static final class Search {
    private final StepProfile step;
    private final TaskGraph graph;
    private final long fastBytes;
    private final double[] values;
    private final List<Integer> order = new ArrayList<>();
    private final long[] occupied;
    private final Set<Integer> chosen = new HashSet<>();
    private int checks;

    Search(StepProfile step, long fastBytes, SlowUse cost) {
      this.step = step;
      this.fastBytes = fastBytes;
      graph = step.graph();
      values = new double[graph.tensors().size()];
      for (Kernel kernel : graph.kernels()) {
        for (int tensor : kernel.arguments()) {
          values[tensor] +=
              cost.nanos(
                  graph.tensors().get(tensor).bytes(),
                  kernel.reads().contains(tensor),
                  kernel.writes().contains(tensor));
        }
      }
      occupied = new long[Math.max(1, graph.kernels().size())];
      for (int tensor = 0; tensor < values.length; tensor++) {
        if (values[tensor] > 0) {
          order.add(tensor);
        }
      }
      order.sort(
          Comparator.comparingDouble((Integer tensor) -> -values[tensor] / bytes(tensor))
              .thenComparing(tensor -> tensor));
    }

    private long bytes(int tensor) {
      return graph.tensors().get(tensor).bytes();
    }

    private int from(int tensor) {
      return step.lasting(tensor) ? 0 : Math.max(0, graph.creator(tensor));
    }

    private int to(int tensor) {
      return step.lasting(tensor) ? occupied.length - 1 : Math.max(0, step.lastConsumer(tensor));
    }

    private boolean fits(int tensor) {
      checks++;
      for (int k = from(tensor); k <= to(tensor); k++) {
        if (occupied[k] + bytes(tensor) > fastBytes) {
          return false;
        }
      }
      return true;
    }

    private void put(int tensor) {
      chosen.add(tensor);
      add(tensor, bytes(tensor));
    }

    private void take(int tensor) {
      chosen.remove(tensor);
      add(tensor, -bytes(tensor));
    }

    private void add(int tensor, long bytes) {
      for (int k = from(tensor); k <= to(tensor); k++) {
        occupied[k] += bytes;
      }
    }

    private List<Integer> fill(int without) {
      List<Integer> added = new ArrayList<>();
      for (int tensor : order) {
        if (tensor != without && !chosen.contains(tensor) && fits(tensor)) {
          put(tensor);
          added.add(tensor);
        }
      }
      return added;
    }

    StartPlacement run() {
      fill(-1);
      boolean better = true;
      for (int round = 0; better && round < MOST_ROUNDS; round++) {
        better = false;
        for (int tensor : order) {
          better |= checks < MOST_CHECKS && exchange(tensor);
        }
      }
      return new StartPlacement(chosen, saved(chosen));
    }

    private boolean exchange(int tensor) {
      return chosen.contains(tensor) ? leave(tensor) : enter(tensor);
    }

    /** Replaces a tensor by others if these save more. */
    private boolean leave(int tensor) {
      take(tensor);
      return commit(List.of(tensor), fill(tensor));
    }

    /** Replaces the tensors that are in the way of another by that one if this saves more. */
    private boolean enter(int tensor) {
      List<Integer> removed = new ArrayList<>();
      for (int i = order.size() - 1; i >= 0 && !fits(tensor); i--) {
        int other = order.get(i);
        if (chosen.contains(other) && from(other) <= to(tensor) && from(tensor) <= to(other)) {
          take(other);
          removed.add(other);
        }
      }
      List<Integer> added = new ArrayList<>();
      if (fits(tensor)) {
        put(tensor);
        added.add(tensor);
        added.addAll(fill(tensor));
      }
      return commit(removed, added);
    }

    /** Undoes an exchange that saves no more than before. Returns whether it stays. */
    private boolean commit(List<Integer> removed, List<Integer> added) {
      if (saved(added) > saved(removed)) {
        return true;
      }
      added.forEach(this::take);
      removed.forEach(this::put);
      return false;
    }

    private double saved(Iterable<Integer> tensors) {
      double saved = 0;
      for (int tensor : tensors) {
        saved += values[tensor];
      }
      return saved;
    }
  }
}
