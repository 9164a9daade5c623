package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/**
 * A kernel with its tensors, one of several that compute a result together.
 *
 * @param name name of what it computes
 * @param reads tensors whose contents it needs
 * @param writes tensors that it overwrites, with workspaces
 */
public record KernelStep(String name, TapeKernel kernel, List<Tensor> reads, List<Tensor> writes) {
  public KernelStep {
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }
}
