package io.idlalayer.middleware.memory.device;

/** A region was used that is free, was freed, or is read or written outside its lease. */
public final class StaleRegionException extends TieredMemoryException {
  private static final long serialVersionUID = 1L;

  /** Says which bytes, of what. */
  public StaleRegionException(String message) {
    super(message);
  }
}
