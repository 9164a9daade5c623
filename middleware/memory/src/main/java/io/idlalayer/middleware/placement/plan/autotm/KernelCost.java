package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cost of one way to run a kernel: how long it takes, depending on which of its arguments are
 * on the slow device, and how much fast memory it needs beside its arguments.
 *
 * <p>A kernel takes {@code max(base, sum of reads, sum of writes) + sum of additions}, with the
 * sums over its slow arguments, or what was measured for each set of slow arguments.
 *
 * @param base nanoseconds with all arguments on the fast device
 * @param reads nanoseconds of reading each argument where it is slow, beside the computation
 * @param writes nanoseconds of writing each argument back, beside the computation
 * @param additions nanoseconds that each slow argument adds to the computation; never more than it
 *     really adds, if there is a table
 * @param table nanoseconds for each set of slow arguments, bit i for argument i; null if not
 *     measured
 * @param extraBytes fast memory beside the arguments
 * @param pieces number of pieces in which slow arguments pass through buffers, by copies; 0 if the
 *     kernel uses them in place
 */
record KernelCost(
    double base,
    double[] reads,
    double[] writes,
    double[] additions,
    double @Nullable [] table,
    long extraBytes,
    long pieces) {
  /** Most arguments of a kernel for which each set of slow arguments has a time. */
  static final int MOST_TABLE_ARGUMENTS = 6;

  /** Returns the cost of a kernel to whose time each slow argument adds an amount of its own. */
  static KernelCost additive(double base, double[] additions, long extraBytes) {
    double[] none = new double[additions.length];
    return new KernelCost(base, none, none, additions, null, extraBytes, 0);
  }

  /** Returns the nanoseconds with some slow arguments. */
  double nanos(BitSet slow) {
    if (table != null) {
      return table[slow.isEmpty() ? 0 : (int) slow.toLongArray()[0]];
    }
    double reading = 0;
    double writing = 0;
    double added = 0;
    for (int i = slow.nextSetBit(0); i >= 0; i = slow.nextSetBit(i + 1)) {
      reading += reads[i];
      writing += writes[i];
      added += additions[i];
    }
    return Math.max(base, Math.max(reading, writing)) + added;
  }

  /**
   * Returns the nanoseconds with some slow arguments, if no other copies are made meanwhile. Beside
   * the first piece that is copied in, and the last one that is copied out, nothing is computed.
   */
  double wholeNanos(BitSet slow) {
    double alone = nanos(slow);
    return pieces == 0 ? alone : alone + (sum(reads, slow) + sum(writes, slow)) / pieces;
  }

  /** Returns the nanoseconds for which the copies of slow arguments to buffers keep the device. */
  double copyingIn(BitSet slow) {
    return pieces == 0 ? 0 : sum(reads, slow);
  }

  /** Returns the nanoseconds for which copies of slow arguments from buffers keep the device. */
  double copyingOut(BitSet slow) {
    return pieces == 0 ? 0 : sum(writes, slow);
  }

  private static double sum(double[] nanos, BitSet slow) {
    double sum = 0;
    for (int i = slow.nextSetBit(0); i >= 0; i = slow.nextSetBit(i + 1)) {
      sum += nanos[i];
    }
    return sum;
  }

  /**
   * Returns the number of sets of slow arguments that are distinguished in the time of this kernel.
   */
  long configurations() {
    return 1L << additions.length;
  }

  /**
   * Returns the ways in which a kernel can be run: in place and, if it is divisible, through
   * buffers.
   *
   * @param arguments the arguments that a plan places; the others are fast
   * @param bufferBytes fast memory of the buffers
   */
  static List<KernelCost> of(
      TaskGraph graph,
      TaskGraph.Kernel kernel,
      List<Integer> arguments,
      TransferTimes times,
      long bufferBytes) {
    KernelCost inPlace = inPlace(graph, kernel, arguments, times);
    if (!kernel.divisible() || inPlace.table() != null) {
      return List.of(inPlace);
    }
    double[] writes = new double[arguments.size()];
    for (int i = 0; i < writes.length; i++) {
      int tensor = arguments.get(i);
      boolean usedUp = kernel.lifetimes().retires().contains(tensor);
      if (kernel.writes().contains(tensor) && !usedUp) {
        writes[i] = perByte(times.slow().writeBytesPerSecond()) * bytes(graph, tensor);
      }
    }
    double[] nothing = new double[writes.length];
    return List.of(
        inPlace,
        new KernelCost(
            inPlace.base(),
            inPlace.reads(),
            writes,
            nothing,
            null,
            bufferBytes,
            Action.Stream.pieces(bufferBytes, bytes(graph, kernel))));
  }

  private static KernelCost inPlace(
      TaskGraph graph, TaskGraph.Kernel kernel, List<Integer> arguments, TransferTimes times) {
    int count = arguments.size();
    double[] reads = new double[count];
    double[] additions = new double[count];
    double store = perByte(times.slow().writeBytesPerSecond()) / times.model().writeEfficiency();
    for (int i = 0; i < count; i++) {
      int tensor = arguments.get(i);
      if (reads(kernel, tensor)) {
        reads[i] = perByte(times.slow().readBytesPerSecond()) * bytes(graph, tensor);
      }
      additions[i] = kernel.writes().contains(tensor) ? store * bytes(graph, tensor) : 0;
    }
    double base = Math.max(1, kernel.fastNanos());
    double[] none = new double[count];
    if (kernel.placements().isEmpty()) {
      return new KernelCost(base, reads, none, additions, null, 0, 0);
    }
    if (count > MOST_TABLE_ARGUMENTS) {
      for (int i = 0; i < count; i++) {
        int tensor = arguments.get(i);
        additions[i] = nanos(graph, kernel, List.of(tensor), times) - base;
      }
      return additive(base, additions, 0);
    }
    double[] table = table(graph, kernel, arguments, times);
    return new KernelCost(table[0], none, none, leastAdditions(table, count), table, 0, 0);
  }

  private static double[] table(
      TaskGraph graph, TaskGraph.Kernel kernel, List<Integer> arguments, TransferTimes times) {
    double[] table = new double[1 << arguments.size()];
    for (int set = 0; set < table.length; set++) {
      int slow = set;
      List<Integer> tensors =
          arguments.stream().filter(it -> (slow >> arguments.indexOf(it) & 1) == 1).toList();
      table[set] = nanos(graph, kernel, tensors, times);
    }
    return table;
  }

  /** Returns what each argument adds at least, whichever others are slow. */
  private static double[] leastAdditions(double[] table, int count) {
    double[] least = new double[count];
    Arrays.fill(least, Double.POSITIVE_INFINITY);
    for (int set = 0; set < table.length; set++) {
      for (int i = 0; i < count; i++) {
        if ((set >> i & 1) == 0) {
          least[i] = Math.min(least[i], table[set | 1 << i] - table[set]);
        }
      }
    }
    return least;
  }

  /**
   * Returns the nanoseconds of a kernel with some slow tensors, as measured for this set of
   * tensors. If the set was not measured, the times that each tensor has added by itself are
   * summed; for tensors that were not measured either, the cost model is used.
   *
   * @param slow indexes of tensors that the kernel uses
   */
  static long nanos(
      TaskGraph graph, TaskGraph.Kernel kernel, List<Integer> slow, TransferTimes times) {
    long fast = Math.max(1, kernel.fastNanos());
    if (slow.isEmpty()) {
      return fast;
    }
    if (kernel.placements().isEmpty()) {
      return modelled(graph, kernel, slow, times, fast);
    }
    Map<List<Integer>, Long> measured = new HashMap<>();
    kernel.placements().forEach(each -> measured.put(each.slow(), each.nanos()));
    Long exact = measured.get(slow.stream().sorted().toList());
    if (exact != null) {
      return exact;
    }
    long sum = fast;
    for (int tensor : slow) {
      Long alone = measured.get(List.of(tensor));
      sum += (alone == null ? modelled(graph, kernel, List.of(tensor), times, fast) : alone) - fast;
    }
    return sum;
  }

  private static long modelled(
      TaskGraph graph,
      TaskGraph.Kernel kernel,
      List<Integer> slow,
      TransferTimes times,
      long fast) {
    long in = 0;
    long out = 0;
    for (int tensor : slow) {
      in += reads(kernel, tensor) ? bytes(graph, tensor) : 0;
      out += kernel.writes().contains(tensor) ? bytes(graph, tensor) : 0;
    }
    return times.model().kernelNanos(times.slow(), fast, in, out);
  }

  /**
   * Returns whether a kernel reads a tensor that was there before; not what it has just written.
   */
  private static boolean reads(TaskGraph.Kernel kernel, int tensor) {
    boolean made =
        kernel.lifetimes().creates().contains(tensor) && kernel.writes().contains(tensor);
    return kernel.reads().contains(tensor) && !made;
  }

  private static long bytes(TaskGraph graph, TaskGraph.Kernel kernel) {
    return kernel.arguments().stream().mapToLong(tensor -> bytes(graph, tensor)).sum();
  }

  private static long bytes(TaskGraph graph, int tensor) {
    return graph.tensors().get(tensor).bytes();
  }

  private static double perByte(double bytesPerSecond) {
    return 1e9 / bytesPerSecond;
  }
}
