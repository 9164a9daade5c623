package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.DecisionEvent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The new events of some applications. If the learners run in this process, they hand the events
 * over; otherwise the events are read from the topics. If the reader is too slow for the events
 * that are handed over, it continues with the topics, from the first event that it has missed.
 * Confined to one thread.
 */
public final class DecisionSource implements AutoCloseable {
  private final Function<Duration, List<DecisionEvent>> topics;
  private final Set<String> applications;
  private DecisionHandover.@Nullable Reader handed;

  /** The last event that was handed over, by its learner and topic. */
  private final Map<Place, DecisionEvent> last = new HashMap<>();

  /** A learner, and which of its two topics; each topic has its events in order. */
  private record Place(String learner, boolean status) {
    static Place of(DecisionEvent event) {
      return new Place(event.learner(), event.type() == DecisionEvent.Type.STATUS);
    }
  }

  /**
   * @param topics waits for events of the topics and returns them, beginning with the first new
   *     event
   * @param handed reader of the events of this process; null if the learners run elsewhere
   */
  public DecisionSource(
      Function<Duration, List<DecisionEvent>> topics,
      Set<String> applications,
      DecisionHandover.@Nullable Reader handed) {
    this.topics = topics;
    this.applications = applications;
    this.handed = handed;
  }

  /** Waits for events and returns them. */
  public List<DecisionEvent> poll(Duration longest) throws InterruptedException {
    DecisionHandover.Reader here = handed;
    if (here == null) {
      return notHandedOver(topics.apply(longest));
    }
    // This is checked first. So the events that are returned below include all events before the
    // first event that was left out.
    boolean behind = here.behind();
    List<DecisionEvent> events =
        here.poll(behind ? Duration.ZERO : longest).stream()
            .filter(event -> applications.contains(event.application()))
            .toList();
    events.forEach(event -> last.put(Place.of(event), event));
    if (behind) {
      here.close();
      handed = null;
    }
    return events;
  }

  /** Returns the events that come after the events that were handed over. */
  private List<DecisionEvent> notHandedOver(List<DecisionEvent> events) {
    return last.isEmpty() ? events : events.stream().filter(this::isNew).toList();
  }

  private boolean isNew(DecisionEvent event) {
    Place place = Place.of(event);
    DecisionEvent before = last.get(place);
    if (before == null) {
      return true;
    }
    boolean later = event.atMillis() > before.atMillis();
    if (later || same(event, before)) {
      last.remove(place);
    }
    return later;
  }

  private static boolean same(DecisionEvent one, DecisionEvent other) {
    return one.atMillis() == other.atMillis()
        && one.type() == other.type()
        && one.message().equals(other.message())
        && number(one) == number(other);
  }

  private static long number(DecisionEvent event) {
    return event.update() == null ? 0 : event.update().number();
  }

  @Override
  public void close() {
    DecisionHandover.Reader here = handed;
    if (here != null) {
      here.close();
    }
  }
}
