package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/**
 * A kernel with its tensors. Several such steps compute a result together.
 *
 * @param name name of the computation
 * @param reads tensors whose contents the kernel needs
 * @param writes tensors that the kernel overwrites, including workspaces
 */
public record KernelStep(String name, TapeKernel kernel, List<Tensor> reads, List<Tensor> writes) {
  public KernelStep {
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }
}
