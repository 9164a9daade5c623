package io.idlalayer.modelcontroller.engine.tape;

import java.util.List;

/**
 * A kernel at its position on a tape.
 *
 * @param layer name of the layer that it belongs to
 * @param name name of what it computes
 * @param reads tensors whose contents it needs
 * @param writes tensors that it overwrites or changes
 */
public record TapeStep(
    Phase phase,
    String layer,
    String name,
    TapeKernel kernel,
    List<Tensor> reads,
    List<Tensor> writes) {
  /** Part of a training step. */
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
