package io.idlalayer.middleware.placement.plan.recompute;

import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Finds the tensors of a step that can be computed again from tensors that are in memory at that
 * time in any case. A tensor that was changed in place, or written by several kernels, needs all of
 * these kernels; a kernel whose arguments are gone needs those that made them. One thread.
 */
final class DropSearch {
  /** Smaller tensors are not worth a kernel. */
  static final long LEAST_BYTES = 16 * 1024;

  /** Most kernels that run again for one tensor. */
  static final int MOST_KERNELS = 12;

  private final TaskGraph graph;
  private final TransferTimes times;
  private final int[][] users;
  private final int[][] writers;
  private final boolean[] lasting;

  DropSearch(TaskGraph graph, TransferTimes times) {
    this.graph = graph;
    this.times = times;
    int tensors = graph.tensors().size();
    List<List<Integer>> using = lists(tensors);
    List<List<Integer>> writing = lists(tensors);
    lasting = new boolean[tensors];
    Arrays.fill(lasting, true);
    for (int k = 0; k < graph.kernels().size(); k++) {
      Kernel kernel = graph.kernels().get(k);
      for (int tensor : kernel.arguments()) {
        using.get(tensor).add(k);
      }
      for (int tensor : new TreeSet<>(kernel.writes())) {
        writing.get(tensor).add(k);
      }
      kernel.lifetimes().creates().forEach(tensor -> lasting[tensor] = false);
    }
    users = using.stream().map(DropSearch::array).toArray(int[][]::new);
    writers = writing.stream().map(DropSearch::array).toArray(int[][]::new);
  }

  private static List<List<Integer>> lists(int count) {
    List<List<Integer>> lists = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  private static int[] array(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * Returns the possible drops of the step: for each tensor, the drop in the longest gap between
   * two of its uses.
   */
  List<Drop> all() {
    long[] starts = new long[graph.kernels().size() + 1];
    for (int k = 0; k < graph.kernels().size(); k++) {
      starts[k + 1] = starts[k] + Math.max(1, graph.kernels().get(k).fastNanos());
    }
    List<Drop> drops = new ArrayList<>();
    for (int tensor = 0; tensor < users.length; tensor++) {
      TaskGraph.Tensor known = graph.tensors().get(tensor);
      if (lasting[tensor]
          || known.kind() != TensorKind.INTERMEDIATE
          || known.bytes() < LEAST_BYTES) {
        continue;
      }
      int longest = -1;
      long nanos = 0;
      int[] uses = users[tensor];
      for (int i = 0; i + 1 < uses.length; i++) {
        long gap = starts[uses[i + 1]] - starts[uses[i] + 1];
        if (uses[i + 1] > uses[i] + 1 && gap > nanos) {
          nanos = gap;
          longest = i;
        }
      }
      if (longest >= 0) {
        drop(tensor, uses[longest + 1]).ifPresent(drops::add);
      }
    }
    return drops;
  }

  /** Returns the drop of a tensor that is computed again before a kernel. */
  private Optional<Drop> drop(int tensor, int before) {
    SortedSet<Integer> kernels = new TreeSet<>();
    Set<Integer> again = new HashSet<>();
    if (!add(tensor, before, kernels, again)) {
      return Optional.empty();
    }
    List<Drop.Gap> gaps = new ArrayList<>();
    long cost = 0;
    long move = 0;
    for (int kernel : kernels) {
      cost += Math.max(1, graph.kernels().get(kernel).fastNanos());
    }
    for (int each : again) {
      long bytes = graph.tensors().get(each).bytes();
      int last = -1;
      boolean later = false;
      for (int user : users[each]) {
        last = user < before ? user : last;
        later |= user >= before;
      }
      if (later && last < before - 1) {
        gaps.add(new Drop.Gap(each, bytes, last, before));
        move += times.copyOut(bytes) + times.copyIn(bytes);
      }
    }
    return Optional.of(new Drop(new Rerun(List.copyOf(kernels), before), gaps, cost, move));
  }

  /**
   * Adds the kernels that compute a tensor again before another kernel. Returns false if they
   * cannot.
   *
   * @param again tensors that these kernels write
   */
  private boolean add(int tensor, int before, SortedSet<Integer> kernels, Set<Integer> again) {
    if (lasting[tensor]) {
      return false;
    }
    if (!again.add(tensor)) {
      return true;
    }
    boolean written = false;
    for (int writer : writers[tensor]) {
      if (writer >= before) {
        break;
      }
      written = true;
      if (!kernels.contains(writer) && !addWriter(writer, before, kernels, again)) {
        return false;
      }
    }
    return written;
  }

  private boolean addWriter(
      int kernel, int before, SortedSet<Integer> kernels, Set<Integer> again) {
    Kernel known = graph.kernels().get(kernel);
    if (!known.repeatable() || kernels.size() >= MOST_KERNELS) {
      return false;
    }
    for (int created : known.lifetimes().creates()) {
      if (!known.writes().contains(created) || known.reads().contains(created)) {
        return false;
      }
    }
    kernels.add(kernel);
    for (int written : known.writes()) {
      if (!add(written, before, kernels, again)) {
        return false;
      }
    }
    for (int read : known.reads()) {
      if (!again.contains(read)
          && !present(read, kernel, before)
          && !add(read, before, kernels, again)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether a tensor is there before a kernel, with what an earlier one has read. */
  private boolean present(int tensor, int reader, int before) {
    for (int writer : writers[tensor]) {
      if (writer > reader && writer < before) {
        return false;
      }
    }
    int[] uses = users[tensor];
    // One whose last use is the kernel before stays for the kernels that run again.
    return lasting[tensor] || uses[uses.length - 1] >= before - 1;
  }
}
