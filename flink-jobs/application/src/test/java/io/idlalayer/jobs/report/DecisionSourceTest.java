package io.idlalayer.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ExampleEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class DecisionSourceTest {
  private static final Duration NOW = Duration.ZERO;
  private static final int MOST = 3;

  private final DecisionHandover handover = new DecisionHandover(MOST);

  /** What the topics have and was not read from them. */
  private final List<DecisionEvent> topics = new ArrayList<>();

  private final DecisionSource source =
      new DecisionSource(longest -> taken(), Set.of("clicks"), handover.open());

  private List<DecisionEvent> taken() {
    List<DecisionEvent> events = List.copyOf(topics);
    topics.clear();
    return events;
  }

  private static DecisionEvent event(String application, DecisionEvent.Type type, long atMillis) {
    return DecisionEvent.of(
        type,
        new DecisionEvent.Origin(application, 0, atMillis),
        ExampleEvents.status(ExampleEvents.received(atMillis), 1),
        null,
        "");
  }

  /** A learner sends an event: it is handed over, and is in its topic. */
  private DecisionEvent sent(DecisionEvent.Type type, long atMillis) {
    DecisionEvent event = event("clicks", type, atMillis);
    handover.offer(event);
    topics.add(event);
    return event;
  }

  @Test
  void poll_eventsHandedOver_returnsThemWithoutTheTopics() throws Exception {
    DecisionEvent first = sent(DecisionEvent.Type.FIRED, 1);
    handover.offer(event("prices", DecisionEvent.Type.FIRED, 2));
    DecisionEvent second = sent(DecisionEvent.Type.STATUS, 3);

    assertThat(source.poll(NOW)).containsExactly(first, second);
    assertThat(source.poll(NOW)).isEmpty();
    assertThat(topics).as("not read").hasSize(2);
  }

  @Test
  void poll_nothingThere_waitsForTheNext() throws Exception {
    CompletableFuture<List<DecisionEvent>> polled =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return source.poll(Duration.ofMinutes(1));
              } catch (InterruptedException ended) {
                throw new IllegalStateException(ended);
              }
            });

    DecisionEvent event = sent(DecisionEvent.Type.FIRED, 1);

    assertThat(polled.get(30, TimeUnit.SECONDS)).containsExactly(event);
  }

  @Test
  void poll_fellBehind_goesOnWithTheTopicsAndRepeatsNothing() throws Exception {
    List<DecisionEvent> all = new ArrayList<>();
    all.add(sent(DecisionEvent.Type.FIRED, 1));
    List<DecisionEvent> seen = new ArrayList<>(source.poll(NOW));
    all.add(sent(DecisionEvent.Type.STAGED, 2));
    all.add(sent(DecisionEvent.Type.FIRED, 2));
    all.add(sent(DecisionEvent.Type.STATUS, 2));
    // No more fit; the next one has the time of the last one that did.
    all.add(sent(DecisionEvent.Type.ARRIVALS, 2));
    all.add(sent(DecisionEvent.Type.PUBLISHED, 5));
    for (int i = 0; i < 3; i++) {
      seen.addAll(source.poll(NOW));
    }
    all.add(sent(DecisionEvent.Type.STATUS, 7));
    seen.addAll(source.poll(NOW));

    assertThat(seen).containsExactlyElementsOf(all);
  }

  @Test
  void poll_fellBehindAndALearnerIsNew_hasItsFirstEvent() throws Exception {
    for (int i = 1; i <= MOST; i++) {
      sent(DecisionEvent.Type.FIRED, i);
    }
    sent(DecisionEvent.Type.STATUS, 2);
    source.poll(NOW);

    List<DecisionEvent> later = new ArrayList<>(source.poll(NOW));
    later.addAll(source.poll(NOW));

    assertThat(later).extracting(DecisionEvent::type).containsExactly(DecisionEvent.Type.STATUS);
  }

  @Test
  void close_reader_getsNothingMore() throws Exception {
    source.close();
    handover.offer(event("clicks", DecisionEvent.Type.FIRED, 1));

    assertThat(source.poll(NOW)).isEmpty();
  }
}
