package io.idlalayer.middleware.memory.device;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if bytes are lost because the place that held them is gone, while the rest of the device
 * works on. Results that were computed from these bytes can be computed again in the remaining
 * places.
 */
public final class DeviceLostException extends DeviceFailureException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message says which place is gone and why. */
  public DeviceLostException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
