package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if an eviction stopped midway because the policy's callback did not free a region of the
 * span. Objects that were evicted before stay evicted; the rest of the span is unchanged.
 */
public final class AbortedEvictionException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  AbortedEvictionException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
