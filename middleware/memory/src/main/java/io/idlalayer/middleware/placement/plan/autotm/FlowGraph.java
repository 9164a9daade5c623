package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A step as AutoTM's model sees it: a flow for each tensor that is placed, the cost of each kernel
 * by which of its arguments are slow, and the fast memory that each kernel may use.
 *
 * <p>Tensors below {@value #SMALL_BYTES} bytes stay on the fast device and reduce the memory that
 * is left for others, unless together they take an eighth of it or more.
 *
 * @param flows the placed tensors
 * @param unused indexes of tensors that no kernel uses and that are slow
 * @param kernels the ways in which each kernel can be run; the first one needs the least memory
 * @param limits bytes of fast memory for placed tensors while each kernel runs
 * @param smallBytes bytes of small tensors while each kernel runs
 */
record FlowGraph(
    List<Flow> flows,
    List<Integer> unused,
    List<List<KernelCost>> kernels,
    long[] limits,
    long[] smallBytes) {
  /** Size below which a tensor is not worth a copy. */
  static final long SMALL_BYTES = 16 << 10;

  private static final long SMALL_SHARE = 8;

  /** Creates the model of a step, with limits that small tensors have reduced. */
  static FlowGraph of(TaskGraph graph, PlanDevices devices) {
    Lives lives = new Lives(graph, devices);
    long[] small = lives.bytesBelow(SMALL_BYTES);
    boolean all = Arrays.stream(small).max().orElse(0) > devices.fastBytes() / SMALL_SHARE;
    if (all) {
      Arrays.fill(small, 0);
    }
    List<List<Integer>> placed = new ArrayList<>();
    for (TaskGraph.Kernel kernel : graph.kernels()) {
      placed.add(
          kernel.arguments().stream()
              .filter(it -> all || graph.tensors().get(it).bytes() >= SMALL_BYTES)
              .toList());
    }
    List<List<KernelCost>> kernels = new ArrayList<>();
    long[] limits = new long[placed.size()];
    long buffers = devices.fastBytes() / Action.Stream.BUFFER_SHARE;
    for (int k = 0; k < limits.length; k++) {
      TaskGraph.Kernel kernel = graph.kernels().get(k);
      kernels.add(KernelCost.of(graph, kernel, placed.get(k), devices.times(), buffers));
      limits[k] = devices.fastBytes() - small[k];
    }
    List<Integer> unused =
        IntStream.range(0, graph.tensors().size())
            .filter(it -> all || graph.tensors().get(it).bytes() >= SMALL_BYTES)
            .filter(it -> graph.users(it).isEmpty())
            .boxed()
            .toList();
    return new FlowGraph(lives.flows(placed), unused, List.copyOf(kernels), limits, small);
  }

  /** Returns the number of kernels of a step. */
  int steps() {
    return kernels.size();
  }

  /** Returns this graph with less fast memory for some kernels. */
  FlowGraph withLimits(long[] changed) {
    return new FlowGraph(flows, unused, kernels, changed, smallBytes);
  }

  /** Returns the sum of all kernels' nanoseconds if every tensor is on the fast device. */
  double fastNanos() {
    double sum = 0;
    for (List<KernelCost> kernel : kernels) {
      double least = Double.POSITIVE_INFINITY;
      for (KernelCost cost : kernel) {
        least = Math.min(least, cost.base());
      }
      sum += least;
    }
    return sum;
  }

  /** Lifetimes of a graph's tensors, collected in one pass. */
  private static final class Lives {
    private static final int NEVER = -1;

    private final TaskGraph graph;
    private final PlanDevices devices;
    private final int[] created;
    private final int[] retired;

    Lives(TaskGraph graph, PlanDevices devices) {
      this.graph = graph;
      this.devices = devices;
      created = new int[graph.tensors().size()];
      retired = new int[created.length];
      Arrays.fill(created, NEVER);
      Arrays.fill(retired, NEVER);
      for (int k = 0; k < graph.kernels().size(); k++) {
        TaskGraph.Lifetimes lifetimes = graph.kernels().get(k).lifetimes();
        for (int tensor : lifetimes.creates()) {
          created[tensor] = k;
        }
        for (int tensor : lifetimes.retires()) {
          retired[tensor] = k;
        }
      }
    }

    long[] bytesBelow(long size) {
      long[] change = new long[graph.kernels().size() + 1];
      for (int tensor = 0; tensor < created.length; tensor++) {
        long bytes = graph.tensors().get(tensor).bytes();
        if (bytes < size) {
          boolean lasting = created[tensor] == NEVER;
          change[lasting ? 0 : created[tensor]] += devices.alignedBytes(bytes);
          change[lasting ? change.length - 1 : retired[tensor] + 1] -= devices.alignedBytes(bytes);
        }
      }
      long[] live = new long[change.length - 1];
      long now = 0;
      for (int k = 0; k < live.length; k++) {
        now += change[k];
        live[k] = now;
      }
      return live;
    }

    List<Flow> flows(List<List<Integer>> placed) {
      List<List<int[]>> uses = new ArrayList<>();
      for (int tensor = 0; tensor < created.length; tensor++) {
        uses.add(new ArrayList<>());
      }
      for (int k = 0; k < placed.size(); k++) {
        for (int argument = 0; argument < placed.get(k).size(); argument++) {
          uses.get(placed.get(k).get(argument)).add(new int[] {k, argument});
        }
      }
      List<Flow> flows = new ArrayList<>();
      for (int tensor = 0; tensor < created.length; tensor++) {
        if (!uses.get(tensor).isEmpty()) {
          flows.add(flow(tensor, uses.get(tensor)));
        }
      }
      return List.copyOf(flows);
    }

    private Flow flow(int tensor, List<int[]> uses) {
      long bytes = graph.tensors().get(tensor).bytes();
      int[] kernels = uses.stream().mapToInt(use -> use[0]).toArray();
      boolean[] writes = new boolean[kernels.length];
      for (int i = 0; i < kernels.length; i++) {
        writes[i] = graph.kernels().get(kernels[i]).writes().contains(tensor);
      }
      return new Flow(
          tensor,
          devices.alignedBytes(bytes),
          kernels,
          uses.stream().mapToInt(use -> use[1]).toArray(),
          writes,
          created[tensor] == NEVER,
          retired[tensor],
          devices.times().copyIn(bytes),
          devices.times().copyOut(bytes));
    }
  }
}
