package io.idlalayer.middleware.memory;

import org.jspecify.annotations.Nullable;

/** A request to a tiered memory that cannot be met; the memory is as it was before it. */
public abstract sealed class TieredMemoryException extends RuntimeException
    permits DeviceFullException,
        StaleRegionException,
        DoubleFreeException,
        PinnedException,
        RetiredObjectException,
        LinkConflictException,
        AbortedEvictionException,
        DeviceFailureException,
        LeaseTimeoutException {
  private static final long serialVersionUID = 1L;

  TieredMemoryException(String message) {
    super(message);
  }

  TieredMemoryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
