package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the steps of one layer: those of its forward pass, and then those of its backward pass.
 */
interface LayerWriter {
  /**
   * Writes the forward pass.
   *
   * @param inputs outputs of the layer's sources
   * @return the layer's outputs, which no step changes before the backward pass if {@link
   *     #readsOutputs}
   */
  Tensor forward(List<Tensor> inputs);

  /** Returns whether the backward pass reads the outputs of the forward pass. */
  boolean readsOutputs();

  /**
   * Writes the backward pass.
   *
   * @param errors gradient of the loss with respect to the outputs, which the backward pass may
   *     change
   * @return gradients with respect to the inputs, in their order; null for an input whose gradient
   *     is not needed. Several inputs may share a tensor
   */
  List<@Nullable Tensor> backward(Tensor errors);
}
