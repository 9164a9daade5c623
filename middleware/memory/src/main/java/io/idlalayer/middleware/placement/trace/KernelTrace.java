package io.idlalayer.middleware.placement.trace;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Part;
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
 * @param part of the step that it belongs to; null if that is not known
 */
public record KernelTrace(
    long step,
    int index,
    String name,
    List<Use> uses,
    List<MemObject> retired,
    long nanos,
    @Nullable Division division,
    @Nullable Part part) {
  public KernelTrace {
    uses = List.copyOf(uses);
    retired = List.copyOf(retired);
  }

  /** A kernel of no known part. */
  public KernelTrace(
      long step,
      int index,
      String name,
      List<Use> uses,
      List<MemObject> retired,
      long nanos,
      @Nullable Division division) {
    this(step, index, name, uses, retired, nanos, division, null);
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
