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
public record InferenceRequest(
    @Nullable String id, List<InferenceTensor> inputs, List<Output> outputs, boolean binary) {
  /** Most elements of all inputs. */
  public static final int MOST_ELEMENTS = 1 << 19;

  /** Most inputs. */
  public static final int MOST_TENSORS = 4096;

  /** Most dimensions of an input. */
  public static final int MOST_DIMENSIONS = 8;

  /**
   * An output that the client asks for.
   *
   * @param binary whether its elements are wanted in binary form
   */
  public record Output(String name, boolean binary) {}
}
