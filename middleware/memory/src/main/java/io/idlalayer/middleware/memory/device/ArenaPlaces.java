package io.idlalayer.middleware.memory.device;

/**
 * The places of which an arena consists: ranges of its bytes, each on a medium of its own. Place 0
 * begins at offset 0, and each place begins where the one before ends. The allocator takes free
 * bytes from the places in the order of {@link #byCost}. Any thread.
 */
public interface ArenaPlaces {
  /** Returns the number of places, at least 1. */
  int count();

  /**
   * Returns the offset after the last byte of a place.
   *
   * @param place index of the place, from 0
   */
  long end(int place);

  /**
   * Returns whether a kernel can access the bytes of a place by loads and stores, through {@link
   * Arena#view}. Others are only copied, by {@link Arena#get} and {@link Arena#put}.
   *
   * @param place index of the place, from 0
   */
  boolean direct(int place);

  /**
   * Returns the indices of the places that can be used now, the cheapest first. The order may
   * differ from call to call.
   */
  int[] byCost();

  /**
   * Returns whether kernels can access the bytes of at least one place by loads and stores. If not,
   * kernels work on copies of the bytes on another device.
   */
  default boolean anyDirect() {
    for (int place = 0; place < count(); place++) {
      if (direct(place)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the index of the place that has a byte. */
  default int at(long offset) {
    int place = 0;
    while (place < count() - 1 && offset >= end(place)) {
      place++;
    }
    return place;
  }

  /**
   * Returns the places of an arena on a single medium, which kernels access by loads and stores.
   *
   * @param capacityBytes size of the arena
   */
  static ArenaPlaces single(long capacityBytes) {
    return new SinglePlace(capacityBytes, true);
  }

  /**
   * Returns the places of an arena on a single medium whose bytes are only copied.
   *
   * @param capacityBytes size of the arena
   */
  static ArenaPlaces copied(long capacityBytes) {
    return new SinglePlace(capacityBytes, false);
  }
}
