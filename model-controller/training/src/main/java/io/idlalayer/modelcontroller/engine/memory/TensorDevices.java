package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import org.jspecify.annotations.Nullable;

/**
 * A fast and a slow device, on which memories for tensors are opened one after another, never two
 * at a time. Several threads can use the devices, but only one thread at a time.
 */
public interface TensorDevices extends AutoCloseable {
  /**
   * Opens an empty memory on the devices. If the devices are not acquired yet, this method acquires
   * them first. The owner closes the memory before the next memory is opened; the devices stay
   * acquired.
   *
   * @throws io.idlalayer.middleware.memory.device.DeviceFailureException if a device lacks the
   *     bytes
   */
  PlacedMemory open();

  /**
   * Returns the use of memory of other processes since the devices were acquired; null if no memory
   * is borrowed.
   */
  default @Nullable LentPlaces lent() {
    return null;
  }

  /** Returns the size of the fast device of the next memory; 0 if it cannot be changed. */
  default long resizableBytes() {
    return 0;
  }

  /**
   * Changes the size of the fast device for the next memory; no memory is allowed to be open. The
   * former bytes are given up first, so that old and new bytes are never held at the same time.
   *
   * @param bytes above 0
   * @return whether the size can be changed; if not, the size stays
   */
  default boolean resizeFast(long bytes) {
    return false;
  }

  /**
   * Releases the slow device. The bytes of the fast device are kept for the next memory. The
   * garbage collector frees them when nothing references these devices any more. A second call does
   * nothing.
   */
  @Override
  void close();
}
