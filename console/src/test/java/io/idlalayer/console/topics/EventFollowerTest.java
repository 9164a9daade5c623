package io.idlalayer.console.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.console.ConsoleEvents;
import io.idlalayer.console.history.Learners;
import io.idlalayer.jobs.events.DecisionEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class EventFollowerTest {
  private final Learners learners = new Learners();
  private final AtomicInteger events = new AtomicInteger();
  private final AtomicInteger anew = new AtomicInteger();
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();

  private final EventFollower.Listener listener =
      new EventFollower.Listener() {
        @Override
        public void event(DecisionEvent event) {
          events.incrementAndGet();
        }

        @Override
        public void anew() {
          anew.incrementAndGet();
        }
      };

  /** Has one past event; says one more, and fails at the third poll of the first opening. */
  private final class FakeFeed implements EventFeed {
    private final int opening = opened.incrementAndGet();
    private int polls;

    @Override
    public void history(Consumer<DecisionEvent> take) {
      take.accept(ConsoleEvents.status(1_000, 1));
    }

    @Override
    public List<DecisionEvent> poll(Duration longest) throws IOException {
      polls++;
      if (opening == 1 && polls == 3) {
        throw new IOException("the broker is gone");
      }
      LockSupport.parkNanos(1_000_000);
      return polls == 1 ? List.of(ConsoleEvents.status(2_000, 2)) : List.of();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  @Test
  void aFeedThatFails_isReadAnew() {
    try (EventFollower follower = new EventFollower(FakeFeed::new, learners, listener)) {
      follower.start();
      await().until(() -> !follower.problem().isEmpty());
      assertThat(follower.connected()).isFalse();
      assertThat(follower.problem()).isEqualTo("the broker is gone");
      assertThat(learners.learners()).hasSize(1);
      await().atMost(Duration.ofSeconds(20)).until(() -> opened.get() == 2 && events.get() == 2);
      assertThat(follower.connected()).isTrue();
      assertThat(follower.problem()).isEmpty();
      assertThat(anew).hasValue(2);
    }
    assertThat(closed).hasValue(2);
  }

  @Test
  void whatIsDamaged_waitsForAChange() {
    AtomicInteger asked = new AtomicInteger();
    EventFeed.Source damaged =
        new EventFeed.Source() {
          @Override
          public EventFeed open() throws IOException {
            if (opened.get() == 0) {
              opened.incrementAndGet();
              throw new IOException("it is damaged");
            }
            return new FakeFeed();
          }

          /** Changes when the follower has asked for the third time. */
          @Override
          public boolean mayGoBetter(Throwable failed) {
            assertThat(opened).hasValue(1);
            return asked.incrementAndGet() >= 3;
          }
        };
    try (EventFollower follower = new EventFollower(damaged, learners, listener)) {
      follower.start();
      await().until(() -> !follower.problem().isEmpty());
      assertThat(follower.problem())
          .isEqualTo("it is damaged; it is read again when the file has changed");
      await().atMost(Duration.ofSeconds(20)).until(follower::connected);
      assertThat(asked).hasValue(3);
      assertThat(follower.problem()).isEmpty();
    }
  }

  @Test
  void whatEndsTooEarly_isShownWithANote() {
    EventFeed.Source cut =
        () ->
            new EventFeed() {
              @Override
              public void history(Consumer<DecisionEvent> take) {
                take.accept(ConsoleEvents.status(1_000, 1));
              }

              @Override
              public List<DecisionEvent> poll(Duration longest) {
                LockSupport.parkNanos(1_000_000);
                return List.of();
              }

              @Override
              public String note() {
                return "the last line is cut";
              }

              @Override
              public void close() {}
            };
    try (EventFollower follower = new EventFollower(cut, learners, listener)) {
      follower.start();
      await().until(follower::connected);
      assertThat(follower.problem()).isEqualTo("the last line is cut");
      assertThat(learners.learners()).hasSize(1);
    }
  }

  @Test
  void aBrokerThatIsNotThere_isAProblemAndNoEnd() {
    EventFeed.Source none =
        () -> {
          throw new IOException("no Kafka broker");
        };
    try (EventFollower follower = new EventFollower(none, learners, listener)) {
      follower.start();
      await().until(() -> follower.problem().equals("no Kafka broker"));
      assertThat(follower.connected()).isFalse();
    }
  }
}
