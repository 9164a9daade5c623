package io.idlalayer.modelcontroller.training;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** Collections that come of allocations, as in a process that runs. */
final class Garbage {
  private static final int BLOCK_BYTES = 1 << 20;

  /** Keeps the compiler from removing allocations whose results are unused. */
  @SuppressWarnings("unused")
  private static volatile byte[] seen = {};

  private Garbage() {}

  /** Allocates until there has been a collection, of the young generation at least. */
  static void collect() {
    long before = collections();
    long allocated = 0;
    while (collections() == before) {
      seen = new byte[BLOCK_BYTES];
      allocated += BLOCK_BYTES;
      if (allocated > Runtime.getRuntime().maxMemory()) {
        throw new AssertionError("no collection after " + allocated + " bytes");
      }
    }
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }
}
