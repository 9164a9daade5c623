package io.idlalayer.middleware.memory.device;

/**
 * The places of an arena on a single medium.
 *
 * @param capacityBytes size of the arena
 * @param direct whether kernels access its bytes by loads and stores
 */
record SinglePlace(long capacityBytes, boolean direct) implements ArenaPlaces {
  @Override
  public int count() {
    return 1;
  }

  @Override
  public long end(int place) {
    return capacityBytes;
  }

  @Override
  public boolean direct(int place) {
    return direct;
  }

  @Override
  public int[] byCost() {
    return new int[] {0};
  }
}
