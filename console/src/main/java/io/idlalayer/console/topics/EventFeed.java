package io.idlalayer.console.topics;

import io.idlalayer.jobs.events.DecisionEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Events of learners, in order for each learner. Confined to one thread. */
public interface EventFeed extends AutoCloseable {
  /**
   * Gives what was said before, oldest first, bounded.
   *
   * @throws IOException if it cannot be read
   */
  void history(Consumer<DecisionEvent> take) throws IOException;

  /**
   * Waits for what is said from then on.
   *
   * @param longest to wait for the first event
   * @return what came, perhaps nothing
   * @throws IOException if it cannot be read any more
   */
  List<DecisionEvent> poll(Duration longest) throws IOException;

  /** What a person should know of what was read; "" if nothing. */
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

    /** Whether a feed that is opened now may go better than the last one, which has failed so. */
    default boolean mayGoBetter(Throwable failed) {
      return true;
    }
  }
}
