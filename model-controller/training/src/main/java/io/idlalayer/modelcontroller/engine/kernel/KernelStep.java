package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/**
 * A kernel of several that together compute one thing.
 *
 * @param name of what it computes
 * @param reads tensors whose contents it needs
 * @param writes tensors that it overwrites, with workspaces
 */
public record KernelStep(String name, Kernel kernel, List<Tensor> reads, List<Tensor> writes) {
  public KernelStep {
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }
}
