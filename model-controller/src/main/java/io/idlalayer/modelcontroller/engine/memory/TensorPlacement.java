package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.placement.engine.PlacedMemory;

/** Where the tensors of a trainer go. */
@FunctionalInterface
public interface TensorPlacement {
  /**
   * A memory for one trainer, which closes it.
   *
   * @throws io.idlalayer.middleware.memory.DeviceFailureException if there are not that many bytes
   */
  PlacedMemory open();
}
