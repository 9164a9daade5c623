package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.Division;
import io.idlalayer.middleware.placement.TaskGraph;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that has run.
 *
 * @param step mini-batches before this one, from 0
 * @param index in the order of execution within the step, from 0
 * @param name the same in every step, such as "forward 3 convolution"
 * @param uses its arguments: what it read and changed first, then what it created
 * @param retired tensors that were given up after it
 * @param nanos that it took by the memory's clock, without the copies before it
 * @param division how it can be cut into pieces; null if it cannot
 */
public record KernelTrace(
    long step,
    int index,
    String name,
    List<Use> uses,
    List<MemObject> retired,
    long nanos,
    @Nullable Division division) {
  public KernelTrace {
    uses = List.copyOf(uses);
    retired = List.copyOf(retired);
  }

  /**
   * An argument of a kernel.
   *
   * @param tensor its name, the same in every step, such as "parameters 3"
   * @param read whether its bytes from before were of use
   * @param written whether its bytes were changed
   * @param created whether it was made by this kernel
   */
  public record Use(
      MemObject object,
      String tensor,
      TaskGraph.TensorKind kind,
      boolean read,
      boolean written,
      boolean created) {}
}
