package io.idlalayer.modelcontroller.training;

import java.lang.ref.WeakReference;

/** Collections in a process that ignores explicit ones. */
final class Garbage {
  private static final int BLOCK_BYTES = 1 << 20;

  /** Keeps the compiler from leaving out allocations that nobody looks at. */
  @SuppressWarnings("unused")
  private static volatile byte[] seen = {};

  private Garbage() {}

  /** Allocates until the young generation has been collected. */
  static void collect() {
    WeakReference<byte[]> probe = new WeakReference<>(new byte[BLOCK_BYTES]);
    long allocated = 0;
    while (probe.get() != null) {
      seen = new byte[BLOCK_BYTES];
      allocated += BLOCK_BYTES;
      if (allocated > Runtime.getRuntime().maxMemory()) {
        throw new AssertionError("no collection after " + allocated + " bytes");
      }
    }
  }
}
