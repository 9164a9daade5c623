package io.idlalayer.console.topics;

import io.idlalayer.jobs.events.DecisionEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Events of learners, in order for each learner. Confined to one thread. */
public interface EventFeed extends AutoCloseable {
  /**
   * Passes on earlier events, oldest first, in bounded number.
   *
   * @throws IOException if they cannot be read
   */
  void history(Consumer<DecisionEvent> take) throws IOException;

  /**
   * Waits for new events.
   *
   * @param longest longest time to wait for the first event
   * @return the events that arrived, perhaps none
   * @throws IOException if they cannot be read any more
   */
  List<DecisionEvent> poll(Duration longest) throws IOException;

  /** Returns a note about what was read, for display; "" if there is none. */
  default String note() {
    return "";
  }

  @Override
  void close();

  /** Opens a feed. */
  @FunctionalInterface
  interface Source {
    /**
     * @throws IOException if there is nothing to read, with what to do about it
     */
    EventFeed open() throws IOException;

    /**
     * Returns whether a feed that is opened now may succeed although the last one has failed with
     * this exception.
     */
    default boolean mayGoBetter(Throwable failed) {
      return true;
    }
  }
}
