package io.idlalayer.middleware.models.kafka;

import org.jspecify.annotations.Nullable;

/**
 * Decides when a subscriber sends a heartbeat: each period, and as soon as another version serves
 * or the model becomes stale or fresh, but not more than once a second. Confined to one thread.
 */
final class HeartbeatSchedule {
  /** Shortest time between two heartbeats, because models may be published many times a second. */
  static final long SHORTEST_NANOS = 1_000_000_000;

  private final long periodNanos;
  private long sentAtNanos;
  private Heartbeat.@Nullable Service sent;

  /**
   * @param periodNanos longest time between two heartbeats, above 0
   */
  HeartbeatSchedule(long periodNanos) {
    this.periodNanos = periodNanos;
  }

  /**
   * Returns whether the subscriber should send a heartbeat now.
   *
   * @param nowNanos monotonic
   */
  boolean due(long nowNanos, Heartbeat.Service now) {
    Heartbeat.Service before = sent;
    if (before == null || nowNanos - sentAtNanos >= periodNanos) {
      return true;
    }
    boolean changed =
        before.version() != now.version()
            || before.sinceMillis() != now.sinceMillis()
            || before.stale() != now.stale();
    return changed && nowNanos - sentAtNanos >= SHORTEST_NANOS;
  }

  /** Records that a heartbeat was sent. */
  void sent(long nowNanos, Heartbeat.Service now) {
    sentAtNanos = nowNanos;
    sent = now;
  }

  /**
   * Records that a heartbeat may not have arrived, so that the next one is sent as soon as
   * possible.
   */
  void lost() {
    sent = null;
  }
}
