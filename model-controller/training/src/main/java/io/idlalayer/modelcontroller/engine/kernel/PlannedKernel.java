package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/**
 * A kernel with its workspaces, the memory that it needs besides its arguments.
 *
 * @param workspaces tensors that the kernel needs while it runs; if the backward pass reads them,
 *     they must be kept until then
 */
public record PlannedKernel(TapeKernel kernel, List<Tensor> workspaces) {
  public PlannedKernel {
    workspaces = List.copyOf(workspaces);
  }
}
