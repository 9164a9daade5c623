package io.idlalayer.middleware.memory.device;

/**
 * Thrown if code uses bytes that it may not use any more: those of a freed region, of an object
 * without a lease, or of a closed arena.
 */
public final class StaleRegionException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the bytes that were used. */
  public StaleRegionException(String message) {
    super(message);
  }
}
