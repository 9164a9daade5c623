package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.List;

/**
 * Facts about an announced step: the bytes of tensors alive at each kernel, and the gaps between
 * uses in which a tensor could leave the fast device.
 */
final class StepGaps {
  /** Fewest kernels between two uses of a tensor that count as a gap. */
  static final int SHORTEST_KERNELS = 8;

  /**
   * Fewest bytes of a tensor that has gaps; starting a copy of a smaller one takes longer than the
   * copy.
   */
  static final long SMALLEST_BYTES = 16 << 10;

  private final int kernels;

  /** Bytes of the tensors that are alive while each kernel runs, by kernel index. */
  private final long[] live;

  /** Most bytes of tensors that are alive at once, from each kernel to the end of the step. */
  private final long[] mostLive;

  /** Gaps by the index of the last kernel that writes the tensor before the gap. */
  private final List<List<Gap>> written = new ArrayList<>();

  /** Gaps of tensors whose last write before the gap is in the step before. */
  private final List<Gap> inherited = new ArrayList<>();

  /**
   * A gap between two successive uses of a tensor, given by the indexes of kernels. Kernels of the
   * next step have indexes after those of this step, and kernels of the step before have negative
   * indexes.
   *
   * @param tensor index
   * @param written the last kernel that writes it before
   * @param from the use before
   * @param to the use after
   */
  record Gap(int tensor, int written, int from, int to) {
    private Gap before(int kernels) {
      return new Gap(tensor, written - kernels, from - kernels, to - kernels);
    }
  }

  StepGaps(TaskGraph graph) {
    kernels = graph.kernels().size();
    live = graph.liveBytes();
    mostLive = new long[kernels + 1];
    List<List<Integer>> users = lists(graph.tensors().size());
    List<List<Integer>> writers = lists(graph.tensors().size());
    boolean[] created = new boolean[graph.tensors().size()];
    for (int k = 0; k < kernels; k++) {
      TaskGraph.Kernel kernel = graph.kernels().get(k);
      for (int tensor : kernel.lifetimes().creates()) {
        created[tensor] = true;
      }
      for (int tensor : kernel.arguments()) {
        users.get(tensor).add(k);
      }
      for (int tensor : kernel.writes()) {
        writers.get(tensor).add(k);
      }
      written.add(new ArrayList<>());
    }
    for (int k = kernels - 1; k >= 0; k--) {
      mostLive[k] = Math.max(live[k], mostLive[k + 1]);
    }
    for (int tensor = 0; tensor < users.size(); tensor++) {
      if (graph.tensors().get(tensor).bytes() >= SMALLEST_BYTES) {
        addGaps(tensor, !created[tensor], users.get(tensor), writers.get(tensor));
      }
    }
  }

  private static List<List<Integer>> lists(int count) {
    List<List<Integer>> lists = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  /**
   * Adds the gaps of a tensor that are long enough.
   *
   * @param lasting whether the tensor exists before the step and after it
   */
  private void addGaps(int tensor, boolean lasting, List<Integer> users, List<Integer> writers) {
    int last = users.size() - 1;
    for (int use = 0; use <= last; use++) {
      int from = users.get(use);
      if (use == last && !lasting) {
        return;
      }
      int to = use == last ? users.get(0) + kernels : users.get(use + 1);
      if (to - from < SHORTEST_KERNELS) {
        continue;
      }
      int writer = lastUpTo(from, writers);
      if (writer >= 0) {
        add(new Gap(tensor, writer, from, to));
      } else if (!lasting) {
        // The owner has filled it before its first use.
        add(new Gap(tensor, users.get(0), from, to));
      } else if (!writers.isEmpty()) {
        // It was written by the step before.
        inherited.add(new Gap(tensor, writers.get(writers.size() - 1) - kernels, from, to));
      }
    }
  }

  private void add(Gap gap) {
    written.get(gap.written()).add(gap);
    if (gap.to() >= kernels) {
      inherited.add(gap.before(kernels));
    }
  }

  private static int lastUpTo(int kernel, List<Integer> ascending) {
    int last = -1;
    for (int each : ascending) {
      last = each <= kernel ? each : last;
    }
    return last;
  }

  int kernels() {
    return kernels;
  }

  /** Returns the gaps of tensors whose last write before the gap is in the step before. */
  List<Gap> inherited() {
    return inherited;
  }

  /** Returns the gaps of tensors whose last write before the gap is by a given kernel. */
  List<Gap> writtenBy(int kernel) {
    return written.get(kernel);
  }

  /** Returns the bytes of the tensors that are alive while a kernel runs. */
  long live(int kernel) {
    return live[kernel];
  }

  /**
   * Returns the most bytes of tensors that are alive at once after a kernel; 0 after the last one.
   */
  long mostLiveAfter(int kernel) {
    return mostLive[kernel + 1];
  }

  /** Returns the most bytes of tensors that are alive at once in the step. */
  long peak() {
    return mostLive[0];
  }
}
