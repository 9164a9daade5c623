package io.idlalayer.middleware.models.storage.cache;

import java.time.Duration;

/**
 * Decides how long a process waits for another one that writes a copy: as long as the copy grows,
 * but not longer than the settings allow. One thread.
 */
final class WaitLimit {
  /** Longest time without progress of the other process. */
  static final Duration STALL = Duration.ofSeconds(10);

  private final long mostNanos;
  private final long begunNanos;
  private long grownNanos;
  private long seenBytes = -1;

  WaitLimit(Duration most, long nowNanos) {
    mostNanos = most.toNanos();
    begunNanos = nowNanos;
    grownNanos = nowNanos;
  }

  /**
   * Returns whether to go on waiting.
   *
   * @param bytes length of the unfinished copy; 0 if there is none
   */
  boolean allows(long bytes, long nowNanos) {
    if (bytes != seenBytes) {
      seenBytes = bytes;
      grownNanos = nowNanos;
    }
    return nowNanos - begunNanos < mostNanos && nowNanos - grownNanos < STALL.toNanos();
  }
}
