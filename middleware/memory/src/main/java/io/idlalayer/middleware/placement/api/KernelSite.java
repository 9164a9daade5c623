package io.idlalayer.middleware.placement.api;

/**
 * The place of a kernel in a training step: its index, phase and layer.
 *
 * @param index position in the order of execution within a step, from 0
 * @param name name of the operation, equal in every step
 * @param phase phase of the step
 * @param layer layer of the network, from 0; {@link #NO_LAYER} if it belongs to none
 */
public record KernelSite(int index, String name, Phase phase, int layer) {
  /** Layer number of a kernel that belongs to no layer. */
  public static final int NO_LAYER = -1;

  /** Phases of a training step. */
  public enum Phase {
    FORWARD,
    BACKWARD,
    UPDATE,
    /** A phase that is unknown, or none of the others. */
    OTHER
  }

  public KernelSite {
    if (index < 0 || layer < NO_LAYER) {
      throw new IllegalArgumentException(
          "kernel %s has the index %d and the layer %d; the index must be at least 0, and the layer at least -1"
              .formatted(name, index, layer));
    }
  }
}
