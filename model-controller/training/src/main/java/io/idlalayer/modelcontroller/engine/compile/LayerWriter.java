package io.idlalayer.modelcontroller.engine.compile;

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
   * @param inputs outputs of its sources
   * @return its outputs, which nobody changes before the backward pass if {@link #readsOutputs}
   */
  Tensor forward(List<Tensor> inputs);

  /** Whether the backward pass reads the outputs of the forward pass. */
  boolean readsOutputs();

  /**
   * Writes the backward pass.
   *
   * @param errors gradient of the loss with respect to the outputs, which it may change
   * @return gradients with respect to the inputs, in their order; null for one that nobody needs.
   *     Several inputs may have the same one
   */
  List<@Nullable Tensor> backward(Tensor errors);
}
