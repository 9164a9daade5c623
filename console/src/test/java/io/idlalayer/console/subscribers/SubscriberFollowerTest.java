package io.idlalayer.console.subscribers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.models.kafka.Heartbeat;
import io.idlalayer.middleware.models.kafka.HeartbeatSource;
import io.idlalayer.middleware.models.kafka.Heartbeats;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class SubscriberFollowerTest {
  private static final ApplicationPartition APP = new ApplicationPartition("app", 0);
  private static final long NOW = 1_800_000_000_000L;

  private final AtomicLong nowMillis = new AtomicLong(NOW);
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();

  /** Has one heartbeat at each opening, of another subscriber; the first opening then fails. */
  private final class FakeFeed implements HeartbeatFeed {
    private final int opening = opened.incrementAndGet();
    private int polls;

    @Override
    public List<HeartbeatSource.Heard> poll(Duration longest) throws IOException {
      polls++;
      if (opening == 1 && polls == 5) {
        throw new IOException("heartbeats cannot be read");
      }
      LockSupport.parkNanos(1_000_000);
      Heartbeat heartbeat = Heartbeats.of("web-" + opening, NOW);
      return polls == 1
          ? List.of(
              new HeartbeatSource.Heard(
                  Heartbeats.troubled(heartbeat, "version 4 is torn"), NOW, false))
          : List.of();
    }

    @Override
    public Map<String, String> problems() {
      return Map.of("other", "topic other-subscribers may not be read");
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private SubscriberFollower start(HeartbeatFeed.Source source) {
    SubscriberFollower follower =
        new SubscriberFollower(source, () -> Instant.ofEpochMilli(nowMillis.get()));
    follower.start();
    return follower;
  }

  @Test
  void feedThatFails_isReadAnew() {
    try (SubscriberFollower follower = start(FakeFeed::new)) {
      await().until(() -> follower.of(APP).problem().equals("heartbeats cannot be read"));
      nowMillis.addAndGet(30_001);
      assertThat(follower.of(APP).subscribers())
          .singleElement()
          .satisfies(it -> assertThat(it.name()).isEqualTo("web-1"))
          .satisfies(it -> assertThat(it.silent()).as("while nothing is heard").isFalse());
      nowMillis.set(NOW);
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> opened.get() == 2 && follower.of(APP).problem().isEmpty());
      nowMillis.addAndGet(30_001);
      assertThat(follower.of(APP))
          .isEqualTo(
              new ReportedSubscribers(
                  true,
                  "",
                  false,
                  List.of(
                      new ReportedSubscribers.Subscriber(
                          "web-2",
                          "host-1",
                          "",
                          3,
                          1_000,
                          61_000,
                          true,
                          4,
                          "version 4 is torn",
                          0,
                          30_001,
                          true))));
      assertThat(follower.of(new ApplicationPartition("app", 1)).subscribers()).isEmpty();
      assertThat(follower.of(new ApplicationPartition("other", 0)).problem())
          .isEqualTo("topic other-subscribers may not be read");
    }
    assertThat(closed).hasValue(2);
  }

  @Test
  void topicThatIsNotThere_isSaidAndNoEnd() {
    try (SubscriberFollower follower =
        start(
            () -> {
              throw new IOException("there is no topic app-subscribers");
            })) {
      await().until(() -> follower.of(APP).problem().equals("there is no topic app-subscribers"));
      assertThat(follower.of(APP).subscribers()).isEmpty();
    }
  }
}
