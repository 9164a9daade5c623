package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows an announced step along its graph, kernel by kernel, and notices the first kernel that
 * differs from the graph. Objects and tensors are matched by name.
 */
final class AnnouncedStep {
  private static final int NONE = -1;

  private final TaskGraph graph;
  private final Map<String, Integer> byName = new HashMap<>();

  /** Indexes of the kernels that use each tensor, ascending. */
  private final int[][] users;

  private final boolean[] lasting;
  private final @Nullable MemObject[] objects;
  private final Map<MemObject, Integer> tensors = new HashMap<>();
  private int current = NONE;
  private boolean followed = true;

  AnnouncedStep(TaskGraph graph) {
    this.graph = graph;
    int count = graph.tensors().size();
    users = new int[count][];
    lasting = new boolean[count];
    objects = new MemObject[count];
    for (int tensor = 0; tensor < count; tensor++) {
      byName.put(graph.tensors().get(tensor).name(), tensor);
      users[tensor] = graph.users(tensor).stream().mapToInt(Integer::intValue).toArray();
      lasting[tensor] = graph.creator(tensor) < 0;
    }
  }

  /** Forgets all objects. */
  void forget() {
    tensors.clear();
    Arrays.fill(objects, null);
  }

  /** Returns to the start of the step, before its first kernel. */
  void restart() {
    current = NONE;
    followed = true;
  }

  /** Records which object stands for the tensor of a name. */
  void named(MemObject object, String name) {
    Integer tensor = byName.get(name);
    if (tensor != null && graph.tensors().get(tensor).bytes() == object.bytes()) {
      objects[tensor] = object;
      tensors.put(object, tensor);
    }
  }

  void retired(MemObject object) {
    Integer tensor = tensors.remove(object);
    if (tensor != null && objects[tensor] == object) {
      objects[tensor] = null;
    }
  }

  /**
   * Advances to the kernel that begins now and compares it with the graph.
   *
   * @return false if this kernel is the first that differs from the graph
   */
  boolean begins(KernelEvent kernel) {
    if (!followed) {
      return true;
    }
    current++;
    followed = current < graph.kernels().size() && matches(kernel);
    return followed;
  }

  private boolean matches(KernelEvent kernel) {
    TaskGraph.Kernel expected = graph.kernels().get(current);
    if (kernel.index() != current || !kernel.name().equals(expected.name())) {
      return false;
    }
    Set<Integer> missing = new LinkedHashSet<>(expected.arguments());
    missing.removeAll(expected.lifetimes().creates());
    for (MemObject object : kernel.arguments()) {
      Integer tensor = tensors.get(object);
      if (tensor == null || !expected.uses(tensor)) {
        return false;
      }
      missing.remove(tensor);
    }
    return missing.isEmpty();
  }

  /** Returns whether all kernels so far were those of the graph. */
  boolean followed() {
    return followed;
  }

  /** Returns the number of kernels until an object's next use; see {@link MemoryView#nextUse}. */
  long nextUse(MemObject object) {
    Integer tensor = tensors.get(object);
    if (tensor == null || !followed) {
      return MemoryView.UNKNOWN;
    }
    for (int user : users[tensor]) {
      if (user > current) {
        return user - (long) current;
      }
    }
    boolean again = lasting[tensor] && users[tensor].length > 0;
    return again ? graph.kernels().size() - (long) current + users[tensor][0] : MemoryView.NEVER;
  }

  /**
   * Returns the sizes of the tensors that the present kernel creates, in bytes; empty if the
   * kernels so far were not those of the graph.
   */
  List<Long> createdBytes() {
    return !followed || current == NONE
        ? List.of()
        : graph.kernels().get(current).lifetimes().creates().stream()
            .map(tensor -> graph.tensors().get(tensor).bytes())
            .toList();
  }

  @Nullable MemObject object(int tensor) {
    return objects[tensor];
  }
}
