package io.idlalayer.middleware.memory.object;

/** Empties the regions of a span for a policy. Called without any lock of the memory. */
@FunctionalInterface
public interface EvictionCallback {
  /**
   * Frees a region, usually by evicting its object. May allocate on other devices and may free
   * other regions.
   */
  void evict(Region region) throws InterruptedException;

  /**
   * Returns whether a region may be part of the span. Regions of pinned, leased or moving objects
   * never are, whatever it returns. Called under the device's lock, so it must neither wait nor
   * change anything.
   */
  default boolean mayEvict(Region region) {
    return true;
  }
}
