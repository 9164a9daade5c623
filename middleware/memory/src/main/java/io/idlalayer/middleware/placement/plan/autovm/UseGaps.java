package io.idlalayer.middleware.placement.plan.autovm;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the gaps between successive uses of the tensors of a step, in which they can leave the fast
 * device. Kernels of the next step are numbered after those of this one.
 */
final class UseGaps {
  private UseGaps() {}

  /**
   * A gap between two uses of a tensor.
   *
   * @param written index of the last kernel that writes the tensor before the gap; negative if that
   *     was in the step before, and {@link #NEVER_WRITTEN} if no kernel writes it
   * @param from index of the use before the gap
   * @param to index of the use after it
   */
  record Gap(int tensor, long bytes, int written, int from, int to) {
    /** Value of {@link #written} for a lasting tensor that the step only reads. */
    static final int NEVER_WRITTEN = Integer.MIN_VALUE;

    /** Returns the number of kernels between the two uses. */
    int kernels() {
      return to - from - 1;
    }
  }

  /**
   * Returns the gaps of a step.
   *
   * @param leastBytes smaller tensors have none
   * @param leastKernels shorter gaps are left out
   */
  static List<Gap> of(TaskGraph graph, long leastBytes, int leastKernels) {
    int kernels = graph.kernels().size();
    int tensors = graph.tensors().size();
    List<List<Integer>> users = lists(tensors);
    List<List<Integer>> writers = lists(tensors);
    boolean[] lasting = new boolean[tensors];
    Arrays.fill(lasting, true);
    for (int k = 0; k < kernels; k++) {
      TaskGraph.Kernel kernel = graph.kernels().get(k);
      kernel.lifetimes().creates().forEach(tensor -> lasting[tensor] = false);
      for (int tensor : kernel.arguments()) {
        users.get(tensor).add(k);
      }
      for (int tensor : kernel.writes()) {
        writers.get(tensor).add(k);
      }
    }
    List<Gap> gaps = new ArrayList<>();
    for (int tensor = 0; tensor < tensors; tensor++) {
      long bytes = graph.tensors().get(tensor).bytes();
      if (bytes >= leastBytes) {
        for (Gap gap :
            gaps(tensor, bytes, users.get(tensor), writers.get(tensor), lasting, kernels)) {
          if (gap.kernels() >= leastKernels) {
            gaps.add(gap);
          }
        }
      }
    }
    return gaps;
  }

  private static List<List<Integer>> lists(int count) {
    List<List<Integer>> lists = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  private static List<Gap> gaps(
      int tensor,
      long bytes,
      List<Integer> users,
      List<Integer> writers,
      boolean[] lasting,
      int kernels) {
    List<Gap> gaps = new ArrayList<>();
    for (int use = 0; use < users.size(); use++) {
      boolean last = use == users.size() - 1;
      if (last && !lasting[tensor]) {
        break;
      }
      int from = users.get(use);
      int to = last ? users.get(0) + kernels : users.get(use + 1);
      gaps.add(
          new Gap(
              tensor, bytes, written(from, users, writers, lasting[tensor], kernels), from, to));
    }
    return gaps;
  }

  private static int written(
      int from, List<Integer> users, List<Integer> writers, boolean lasting, int kernels) {
    int last = -1;
    for (int writer : writers) {
      last = writer <= from ? writer : last;
    }
    if (last >= 0) {
      return last;
    }
    if (!lasting) {
      // The owner has filled it before its first use.
      return users.get(0);
    }
    return writers.isEmpty() ? Gap.NEVER_WRITTEN : writers.get(writers.size() - 1) - kernels;
  }
}
