package io.idlalayer.middleware.capacity;

/**
 * What one layer of a network asks of a node in a training step.
 *
 * @param forwardSeconds time of its forward pass, at least 0
 * @param backwardSeconds time of its backward pass, at least 0
 * @param inputBytes bytes that its forward pass reads and its backward pass needs again, at least 0
 * @param outputBytes bytes of its output, at least 0
 * @param weightBytes bytes of its parameters, at least 0
 */
public record LayerLoad(
    String name,
    Kind kind,
    double forwardSeconds,
    double backwardSeconds,
    long inputBytes,
    long outputBytes,
    long weightBytes) {

  /** Kinds of layers, by what the overlay does with their inputs. */
  public enum Kind {
    /** A convolution, whose input every overlay moves. */
    CONVOLUTION,
    /** Another layer with parameters. */
    WEIGHTED,
    /** A layer that is cheaper to compute again than to move, such as an activation. */
    CHEAP
  }

  public LayerLoad {
    if (!(forwardSeconds >= 0 && forwardSeconds < Double.POSITIVE_INFINITY)
        || !(backwardSeconds >= 0 && backwardSeconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "layer %s takes %s s forward and %s s backward; both must be finite and at least 0"
              .formatted(name, forwardSeconds, backwardSeconds));
    }
    if (inputBytes < 0 || outputBytes < 0 || weightBytes < 0) {
      throw new IllegalArgumentException(
          "layer %s has %d bytes of input, %d of output and %d of parameters; none may be negative"
              .formatted(name, inputBytes, outputBytes, weightBytes));
    }
  }
}
