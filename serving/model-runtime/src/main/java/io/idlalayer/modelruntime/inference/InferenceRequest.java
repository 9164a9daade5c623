package io.idlalayer.modelruntime.inference;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's request for predictions.
 *
 * @param id id of the request, which the answer repeats; null for none
 * @param inputs input tensors: at least one, each name once
 * @param outputs the requested outputs; empty for all
 * @param binary whether outputs are wanted in binary form unless they say otherwise
 */
record InferenceRequest(
    @Nullable String id, List<InferenceTensor> inputs, List<Output> outputs, boolean binary) {
  /**
   * An output that the client asks for.
   *
   * @param binary whether its elements are wanted in binary form
   */
  record Output(String name, boolean binary) {}
}
