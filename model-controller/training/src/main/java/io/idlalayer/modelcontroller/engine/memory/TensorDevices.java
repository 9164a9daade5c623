package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.placement.engine.PlacedMemory;

/**
 * A fast and a slow device, on which one memory after the other is opened; never two at a time. One
 * thread at a time.
 */
public interface TensorDevices extends AutoCloseable {
  /**
   * An empty memory on the devices, which are acquired if they are not there. Its owner closes it
   * before the next one is opened; the devices stay.
   *
   * @throws io.idlalayer.middleware.memory.device.DeviceFailureException if there are not that many
   *     bytes
   */
  PlacedMemory open();

  /**
   * Gives the slow device back. The bytes of the fast one stay for the next memory, and go with the
   * last reference to these devices. A second call does nothing.
   */
  @Override
  void close();
}
