package io.idlalayer.middleware.memory.device;

/** The places of an arena on a single medium. */
record SinglePlace(long capacityBytes) implements ArenaPlaces {
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
    return true;
  }

  @Override
  public int[] byCost() {
    return new int[] {0};
  }
}
