package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Facts about a step: its layers in the order of execution, and the lifetimes of its tensors. A
 * layer is a run of kernels that belong to the same layer of the network in the same phase, so a
 * forward and a backward pass of one layer are two; a kernel that belongs to none is a layer of its
 * own. A tensor is short-lived if all of its uses are in one layer, otherwise long-lived. Tensors
 * that last from step to step are long-lived.
 *
 * <p>Source: Rang 2021, chapter 6. Immutable.
 */
public final class StepProfile {
  private static final int NONE = -1;

  private final TaskGraph graph;
  private final int[] layerOf;
  private final List<Integer> firstKernels = new ArrayList<>();
  private final int[][] users;
  private final boolean[] lasting;
  private final boolean[] shortLived;

  public StepProfile(TaskGraph graph) {
    this.graph = graph;
    int kernels = graph.kernels().size();
    layerOf = new int[kernels];
    Part last = null;
    for (int k = 0; k < kernels; k++) {
      Part part = graph.kernels().get(k).part();
      if (part == null || !part.equals(last)) {
        firstKernels.add(k);
      }
      last = part;
      layerOf[k] = firstKernels.size() - 1;
    }
    int tensors = graph.tensors().size();
    List<List<Integer>> uses = new ArrayList<>();
    for (int t = 0; t < tensors; t++) {
      uses.add(new ArrayList<>());
    }
    lasting = new boolean[tensors];
    Arrays.fill(lasting, true);
    for (int k = 0; k < kernels; k++) {
      Kernel kernel = graph.kernels().get(k);
      for (int tensor : kernel.arguments()) {
        uses.get(tensor).add(k);
      }
      for (int tensor : kernel.lifetimes().creates()) {
        lasting[tensor] = false;
      }
    }
    users = new int[tensors][];
    shortLived = new boolean[tensors];
    for (int t = 0; t < tensors; t++) {
      users[t] = uses.get(t).stream().mapToInt(Integer::intValue).toArray();
      int count = users[t].length;
      shortLived[t] =
          !lasting[t] && count > 0 && layerOf[users[t][0]] == layerOf[users[t][count - 1]];
    }
  }

  /** Returns the graph of the step. */
  public TaskGraph graph() {
    return graph;
  }

  /** Returns the number of layers; 0 if there is no kernel. */
  public int layers() {
    return firstKernels.size();
  }

  /** Returns the index of the first kernel of a layer; the number of kernels after the last one. */
  int firstKernel(int layer) {
    return layer < firstKernels.size() ? firstKernels.get(layer) : layerOf.length;
  }

  int layerOf(int kernel) {
    return layerOf[kernel];
  }

  /** Returns whether all uses of a tensor are in one layer, and it does not last. */
  public boolean shortLived(int tensor) {
    return shortLived[tensor];
  }

  /** Returns whether a tensor lasts from step to step. */
  boolean lasting(int tensor) {
    return lasting[tensor];
  }

  /** Returns the indexes of the kernels that use a tensor, ascending. Not to be changed. */
  int[] users(int tensor) {
    return users[tensor];
  }

  /** Returns the last kernel that uses a tensor; -1 if none does. */
  public int lastConsumer(int tensor) {
    return users[tensor].length == 0 ? NONE : users[tensor][users[tensor].length - 1];
  }

  /**
   * Returns, for each kernel, the bytes of the short-lived or of the long-lived tensors that are
   * alive while it runs, including those that it uses. Lasting tensors are alive always.
   *
   * @param ofShortLived whether to add up the short-lived tensors, or the others
   */
  public long[] liveBytes(boolean ofShortLived) {
    long[] live = new long[layerOf.length];
    for (int t = 0; t < users.length; t++) {
      if (shortLived[t] != ofShortLived) {
        continue;
      }
      int from = lasting[t] ? 0 : graph.creator(t);
      int to = lasting[t] ? layerOf.length - 1 : lastConsumer(t);
      for (int k = Math.max(0, from); k <= to; k++) {
        live[k] += graph.tensors().get(t).bytes();
      }
    }
    return live;
  }

  /** Returns the last kernel before a given one that uses a tensor; -1 if none does. */
  int useBefore(int tensor, int kernel) {
    int at = Arrays.binarySearch(users[tensor], kernel);
    int before = (at >= 0 ? at : -at - 1) - 1;
    return before < 0 ? NONE : users[tensor][before];
  }

  /** Returns the first kernel from a given one on that uses a tensor; -1 if none does. */
  int useFrom(int tensor, int kernel) {
    int at = Arrays.binarySearch(users[tensor], kernel);
    int from = at >= 0 ? at : -at - 1;
    return from < users[tensor].length ? users[tensor][from] : NONE;
  }
}
