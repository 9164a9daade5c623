package io.idlalayer.middleware.memory.object;

/**
 * Chooses and frees the regions of a span that a device empties for a request. Called without any
 * lock of the memory.
 */
@FunctionalInterface
public interface EvictionCallback {
  /**
   * Frees a region, usually by evicting its object. May allocate on other devices and may free
   * other regions.
   */
  void evict(Region region) throws InterruptedException;

  /**
   * Returns whether the policy allows a region to be part of the span that is emptied. Regions of
   * pinned, leased or moving objects are never part of it, whatever this returns. Called under the
   * device's lock, so it must neither wait nor change anything.
   */
  default boolean mayEvict(Region region) {
    return true;
  }
}
