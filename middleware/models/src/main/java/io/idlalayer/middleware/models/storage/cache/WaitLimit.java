package io.idlalayer.middleware.models.storage.cache;

import java.time.Duration;

/**
 * Decides how long a process waits for another one that writes a copy: as long as the copy grows at
 * the pace of a slow store, but not longer than the settings allow. So a copy that trickles does
 * not hold up readers that the store would serve faster. One thread.
 */
final class WaitLimit {
  /** Longest time without enough progress of the other process. */
  static final Duration STALL = Duration.ofSeconds(10);

  /** Bytes by which a copy has to grow within {@link #STALL}: 1 MiB/s. */
  static final long PROGRESS_BYTES = 10L << 20;

  private final long mostNanos;
  private final long begunNanos;
  private long progressNanos;

  /** Length of the copy at {@link #progressNanos}. */
  private long progressBytes;

  WaitLimit(Duration most, long nowNanos) {
    mostNanos = most.toNanos();
    begunNanos = nowNanos;
    progressNanos = nowNanos;
  }

  /**
   * Returns whether to go on waiting.
   *
   * @param bytes length of the unfinished copy; 0 if there is none
   */
  boolean allows(long bytes, long nowNanos) {
    // A copy becomes shorter if another process takes it over.
    boolean begunAnew = bytes < progressBytes;
    if (begunAnew || bytes - progressBytes >= PROGRESS_BYTES) {
      progressBytes = bytes;
      progressNanos = nowNanos;
    }
    return nowNanos - begunNanos < mostNanos && nowNanos - progressNanos < STALL.toNanos();
  }
}
