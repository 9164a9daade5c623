package io.idlalayer.modelcontroller.engine.tape;

import java.util.List;

/**
 * A step of a tape: a kernel with the tensors that it reads and writes.
 *
 * @param layer name of the layer to which the step belongs
 * @param name name of the computation
 * @param reads tensors whose contents the kernel needs
 * @param writes tensors that the kernel overwrites or changes
 */
public record TapeStep(
    Phase phase,
    String layer,
    String name,
    TapeKernel kernel,
    List<Tensor> reads,
    List<Tensor> writes) {
  /** The part of a training step to which a kernel belongs. */
  public enum Phase {
    FORWARD,
    BACKWARD,
    UPDATE
  }

  public TapeStep {
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }
}
