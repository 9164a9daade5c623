package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.placement.engine.PlacedMemory;
import org.jspecify.annotations.Nullable;

/**
 * A fast and a slow device, on which memories for tensors are opened one after another, never two
 * at a time. One thread at a time.
 */
public interface TensorDevices extends AutoCloseable {
  /**
   * Opens an empty memory on the devices, which are acquired before if necessary. Its owner closes
   * it before the next one is opened; the devices stay.
   *
   * @throws io.idlalayer.middleware.memory.device.DeviceFailureException if a device lacks the
   *     bytes
   */
  PlacedMemory open();

  /**
   * Returns the use of memory of other processes since the devices were acquired; null if none is
   * borrowed.
   */
  default @Nullable LentPlaces lent() {
    return null;
  }

  /** Returns the size of the fast device of the next memory; 0 if it cannot be changed. */
  default long resizableBytes() {
    return 0;
  }

  /**
   * Changes the size of the fast device for the next memory; no memory may be open. The former
   * bytes are given up first, so that old and new bytes are never held at the same time.
   *
   * @param bytes above 0
   * @return whether the size can be changed; if not, it stays
   */
  default boolean resizeFast(long bytes) {
    return false;
  }

  /**
   * Releases the slow device. The bytes of the fast one are kept for the next memory, and are freed
   * with the last reference to these devices. A second call does nothing.
   */
  @Override
  void close();
}
