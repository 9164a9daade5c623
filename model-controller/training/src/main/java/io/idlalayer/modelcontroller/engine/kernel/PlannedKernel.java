package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/**
 * A kernel with the memory that it needs besides its arguments.
 *
 * @param workspaces needed while it runs, and until the backward pass if that asks for them
 */
public record PlannedKernel(Kernel kernel, List<Tensor> workspaces) {
  public PlannedKernel {
    workspaces = List.copyOf(workspaces);
  }
}
