package io.idlalayer.console.subscribers;

import io.idlalayer.middleware.models.kafka.HeartbeatSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A source of subscribers' heartbeats, which come in order for each subscriber. Confined to one
 * thread.
 */
interface HeartbeatFeed extends AutoCloseable {
  /**
   * Waits for heartbeats and returns them.
   *
   * @param longest longest time to wait for the first heartbeat
   * @return the heartbeats that arrived; can be empty
   * @throws IOException if they cannot be read any more
   */
  List<HeartbeatSource.Heard> poll(Duration longest) throws IOException;

  /**
   * Returns why the heartbeats of some applications cannot be read, by application; empty if all
   * can be read.
   */
  Map<String, String> problems();

  @Override
  void close();

  /** Opens feeds of heartbeats. */
  @FunctionalInterface
  interface Source {
    /**
     * @throws IOException if there is nothing to read
     */
    HeartbeatFeed open() throws IOException;
  }
}
