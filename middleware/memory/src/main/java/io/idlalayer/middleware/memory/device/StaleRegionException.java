package io.idlalayer.middleware.memory.device;

/**
 * Bytes were used that may not be used any more: of a region that was freed, outside a lease, or of
 * a closed arena.
 */
public final class StaleRegionException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  /** Says which bytes, of what. */
  public StaleRegionException(String message) {
    super(message);
  }
}
