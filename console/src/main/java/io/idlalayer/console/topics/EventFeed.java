package io.idlalayer.console.topics;

import io.idlalayer.jobs.events.DecisionEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A source of learners' events, which come in order for each learner. Confined to one thread. */
public interface EventFeed extends AutoCloseable {
  /**
   * Passes earlier events to the consumer, oldest first, up to a limited number.
   *
   * @throws IOException if they cannot be read
   */
  void history(Consumer<DecisionEvent> take) throws IOException;

  /**
   * Waits for new events and returns them.
   *
   * @param longest longest time to wait for the first event
   * @return the events that arrived; can be empty
   * @throws IOException if they cannot be read any more
   */
  List<DecisionEvent> poll(Duration longest) throws IOException;

  /** Returns a remark about the events that were read, for display; "" if there is none. */
  default String note() {
    return "";
  }

  @Override
  void close();

  /** Opens feeds of events. */
  @FunctionalInterface
  interface Source {
    /**
     * @throws IOException if there is nothing to read; the message says what to do
     */
    EventFeed open() throws IOException;

    /**
     * Returns whether a new feed can succeed after the last feed has failed with this exception.
     */
    default boolean mayGoBetter(Throwable failed) {
      return true;
    }
  }
}
