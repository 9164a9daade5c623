package io.idlalayer.modelcontroller.engine.memory;

/** Where the tensors of trainers go. */
@FunctionalInterface
public interface TensorPlacement {
  /** Devices for the trainers that use them by turns. Acquires nothing yet. */
  TensorDevices devices();
}
