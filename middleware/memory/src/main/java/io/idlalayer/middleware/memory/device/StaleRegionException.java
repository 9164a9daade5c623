package io.idlalayer.middleware.memory.device;

/**
 * Thrown if bytes are used that must not be used any more: of a freed region, outside a lease, or
 * of a closed arena.
 */
public final class StaleRegionException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the bytes. */
  public StaleRegionException(String message) {
    super(message);
  }
}
