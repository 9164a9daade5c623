package io.idlalayer.modelcontroller.engine.memory;

/** Creates the devices on which trainers place their tensors. */
@FunctionalInterface
public interface TensorPlacement {
  /** Creates devices for trainers that use them in turn. The devices are acquired later. */
  TensorDevices devices();
}
