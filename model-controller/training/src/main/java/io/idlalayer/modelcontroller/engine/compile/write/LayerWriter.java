package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the steps of one layer: first the steps of its forward pass, then the steps of its
 * backward pass.
 */
interface LayerWriter {
  /**
   * Writes the forward pass.
   *
   * @param inputs outputs of the layer's sources
   * @return the layer's outputs; if {@link #readsOutputs} returns true, no step changes them before
   *     the backward pass
   */
  Tensor forward(List<Tensor> inputs);

  /** Returns whether the backward pass reads the outputs of the forward pass. */
  boolean readsOutputs();

  /**
   * Writes the backward pass.
   *
   * @param errors gradient of the loss with respect to the outputs, which the backward pass is
   *     allowed to change
   * @return gradients with respect to the inputs, in the order of the inputs; null for an input
   *     whose gradient is not needed. Several inputs can share a tensor
   */
  List<@Nullable Tensor> backward(Tensor errors);
}
