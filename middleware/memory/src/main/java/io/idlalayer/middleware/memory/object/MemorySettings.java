package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.copy.CopyEngine;

/**
 * The settings of a memory: limits of copies and waits, and whether freed bytes are overwritten.
 *
 * @param copyQueue background copies that may be queued in each direction; the caller of one more
 *     waits
 * @param chunkBytes copied at once, between two looks at the interrupt flag and the clock
 * @param waitNanos most that a lease or a move waits for others, and that a thread waits for a copy
 *     while none makes progress
 * @param poison whether freed bytes are overwritten, so that use after free shows in tests
 */
public record MemorySettings(int copyQueue, int chunkBytes, long waitNanos, boolean poison) {
  /**
   * Default settings: 64 background copies in each direction, chunks of 1 MiB, waits of one minute.
   */
  public static final MemorySettings DEFAULT =
      new MemorySettings(64, 1 << 20, 60_000_000_000L, false);

  public MemorySettings {
    if (copyQueue < 1 || chunkBytes < 1 || waitNanos < 0) {
      throw new IllegalArgumentException(
          "a queue of %d copies, chunks of %d bytes, waits of %d ns; queue and chunks must be at least 1, waits at least 0"
              .formatted(copyQueue, chunkBytes, waitNanos));
    }
  }

  CopyEngine.Limits copies() {
    return new CopyEngine.Limits(copyQueue, chunkBytes, waitNanos);
  }
}
