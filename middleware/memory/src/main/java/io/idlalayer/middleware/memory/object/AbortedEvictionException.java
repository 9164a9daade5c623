package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.TieredMemoryException;
import org.jspecify.annotations.Nullable;

/**
 * An eviction stopped part of the way: a region of the span was not freed by the callback. What was
 * evicted until then stays evicted, the rest of the span is as before.
 */
public final class AbortedEvictionException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  AbortedEvictionException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
