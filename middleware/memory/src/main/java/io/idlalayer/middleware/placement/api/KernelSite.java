package io.idlalayer.middleware.placement.api;

/**
 * The place of a kernel in a step.
 *
 * @param index position in the order of execution within a step, from 0
 * @param name name of the operation, equal in every step
 * @param phase phase of the step
 * @param layer layer of the network, from 0; {@link #NO_LAYER} if it belongs to none
 */
public record KernelSite(int index, String name, Phase phase, int layer) {
  /** The kernel belongs to no layer. */
  public static final int NO_LAYER = -1;

  /** Part of a training step. */
  public enum Phase {
    FORWARD,
    BACKWARD,
    UPDATE,
    /** Another part, or an unknown one. */
    OTHER
  }

  public KernelSite {
    if (index < 0 || layer < NO_LAYER) {
      throw new IllegalArgumentException(
          "kernel %s has the index %d and the layer %d".formatted(name, index, layer));
    }
  }
}
