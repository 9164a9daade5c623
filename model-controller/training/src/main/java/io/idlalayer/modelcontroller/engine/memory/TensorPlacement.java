package io.idlalayer.modelcontroller.engine.memory;

/** Where the tensors of trainers go. */
@FunctionalInterface
public interface TensorPlacement {
  /** Creates devices for the trainers that use them in turn. Acquires nothing yet. */
  TensorDevices devices();
}
