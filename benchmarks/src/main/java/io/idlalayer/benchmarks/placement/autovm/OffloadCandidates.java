package io.idlalayer.benchmarks.placement.autovm;

import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the outputs of forward kernels that are worth to leave the fast device between the forward
 * and the backward pass.
 *
 * <p>Source: the selection of AutoVM. A tensor with several forward consumers, such as a skip
 * connection, leaves after the last one.
 */
final class OffloadCandidates {
  private OffloadCandidates() {}

  /**
   * A tensor that leaves after a kernel and is used again by a later one.
   *
   * @param offloadAfter index of the last forward kernel that uses it
   * @param consumer index of the first later kernel that uses it
   */
  record Candidate(int tensor, long bytes, int offloadAfter, int consumer) {
    /** Returns the number of kernels between the two uses. */
    int reuseDistance() {
      return consumer - offloadAfter - 1;
    }
  }

  /**
   * Returns the candidates, those first that are used first again. Weights, inputs of the step and
   * tensors of the backward pass are none.
   *
   * @param leastBytes smaller tensors stay
   * @param leastDistance tensors with fewer kernels between the two uses stay
   */
  static List<Candidate> of(TaskGraph graph, long leastBytes, int leastDistance) {
    int[] lastForward = new int[graph.tensors().size()];
    int[] firstLater = new int[lastForward.length];
    boolean[] output = new boolean[lastForward.length];
    for (int k = 0; k < graph.kernels().size(); k++) {
      TaskGraph.Kernel kernel = graph.kernels().get(k);
      boolean forward = isForward(kernel);
      for (int tensor : kernel.arguments()) {
        if (forward) {
          lastForward[tensor] = k + 1;
          output[tensor] |= kernel.writes().contains(tensor);
        } else if (firstLater[tensor] == 0) {
          firstLater[tensor] = k + 1;
        }
      }
    }
    List<Candidate> candidates = new ArrayList<>();
    for (int tensor = 0; tensor < lastForward.length; tensor++) {
      TaskGraph.Tensor known = graph.tensors().get(tensor);
      boolean passing = known.kind() == TaskGraph.TensorKind.INTERMEDIATE && output[tensor];
      if (passing && lastForward[tensor] > 0 && firstLater[tensor] > lastForward[tensor]) {
        Candidate found =
            new Candidate(tensor, known.bytes(), lastForward[tensor] - 1, firstLater[tensor] - 1);
        if (known.bytes() >= leastBytes && found.reuseDistance() >= leastDistance) {
          candidates.add(found);
        }
      }
    }
    candidates.sort(
        Comparator.comparingInt(Candidate::consumer).thenComparingInt(Candidate::tensor));
    return candidates;
  }

  static boolean isForward(TaskGraph.Kernel kernel) {
    TaskGraph.Part part = kernel.part();
    return part != null && part.phase() == Phase.FORWARD;
  }
}
