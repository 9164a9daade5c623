package io.idlalayer.middleware.models.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A reporter with a producer that sends nowhere, and brokers that are not there. */
final class HeartbeatReporterTest {
  private static final Duration CLOSE = Duration.ofSeconds(20);

  private final AtomicReference<ModelSubscriber.Status> status =
      new AtomicReference<>(serving(1, ""));
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final AtomicInteger opened = new AtomicInteger();
  private final MockProducer<byte[], byte[]> producer = producer(true);
  private HeartbeatReporter reporter;

  private static MockProducer<byte[], byte[]> producer(boolean answering) {
    return new MockProducer<>(
        answering, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static ModelSubscriber.Status serving(long version, String error) {
    return new ModelSubscriber.Status(
        version, 500, 1_000 + version, version, version, 3, 2, error, "", 0, 1, 0, 0, 40, false);
  }

  private HeartbeatReporter start(HeartbeatReporter.Opener opener, Duration period) {
    reporter =
        new HeartbeatReporter(
            new HeartbeatReporter.Settings(
                "app-subscribers", new SubscriberIdentity("web-1", "h", "1"), period),
            List.of(
                new HeartbeatReporter.Reported(
                    new ApplicationPartition("app", 2), "champion", status::get)),
            () -> {
              opened.incrementAndGet();
              return opener.open();
            },
            () -> Instant.ofEpochMilli(7_000),
            nanos::get);
    reporter.start();
    return reporter;
  }

  @AfterEach
  void close() {
    if (reporter != null) {
      reporter.close();
    }
  }

  private List<Heartbeat> sent(MockProducer<byte[], byte[]> by) {
    return by.history().stream()
        .map(record -> HeartbeatCodec.decode(record.value()).orElseThrow())
        .toList();
  }

  private void awaitSent(int count) {
    await().untilAsserted(() -> assertThat(sent(producer)).hasSize(count));
  }

  @Test
  void start_subscriberServes_saysWhatAndAgainEachPeriod() {
    start(() -> producer, Duration.ofSeconds(10));
    awaitSent(1);
    assertThat(sent(producer))
        .containsExactly(
            new Heartbeat(
                "app",
                2,
                new SubscriberIdentity("web-1", "h", "1"),
                "champion",
                new Heartbeat.Service(1, 1_001, 500, 40, false),
                new Heartbeat.Refusals(2, ""),
                new Heartbeat.Leases(1, 0),
                new Heartbeat.Beat(1, 7_000, 10_000, false)));
    assertThat(producer.history().get(0).key()).asString().isEqualTo("app/2/web-1~1@champion");
    nanos.addAndGet(Duration.ofSeconds(10).toNanos());
    awaitSent(2);
    assertThat(sent(producer).get(1).beat().number()).isEqualTo(2);
  }

  @Test
  void swap_longBeforeThePeriodEnds_isSaidAtOnce() {
    start(() -> producer, Duration.ofHours(1));
    awaitSent(1);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    status.set(serving(2, "version 3 does not load: \u001b[31m"));
    awaitSent(2);
    Heartbeat second = sent(producer).get(1);
    assertThat(second.service().version()).isEqualTo(2);
    assertThat(second.refusals().lastError()).isEqualTo("version 3 does not load:  [31m");
  }

  @Test
  void close_whileServing_saysThatItStops() {
    start(() -> producer, Duration.ofHours(1));
    awaitSent(1);
    reporter.close();
    assertThat(sent(producer)).extracting(it -> it.beat().stopped()).containsExactly(false, true);
    assertThat(producer.closed()).isTrue();
    reporter.close();
    assertThat(sent(producer)).hasSize(2);
  }

  @Test
  void open_noBroker_isTriedAgainUntilThereIsOne() {
    start(
        () -> {
          if (opened.get() < 3) {
            throw new IOException("no Kafka broker answers");
          }
          return producer;
        },
        Duration.ofHours(1));
    await().until(() -> !reporter.lastError().isEmpty());
    awaitSent(1);
    await().until(() -> reporter.lastError().isEmpty());
    assertThat(opened).hasValue(3);
  }

  @Test
  void send_refused_isSentAgainWithAnotherProducer() {
    MockProducer<byte[], byte[]> refusing = producer(false);
    start(() -> opened.get() == 1 ? refusing : producer, Duration.ofHours(1));
    await().until(() -> refusing.errorNext(new IllegalStateException("refused")));
    awaitSent(1);
    assertThat(refusing.closed()).isTrue();
    assertThat(sent(producer).get(0).beat().number()).isEqualTo(2);
  }

  @Test
  void status_failsWithAnError_doesNotEndTheReporter() {
    AtomicInteger asked = new AtomicInteger();
    reporter =
        new HeartbeatReporter(
            new HeartbeatReporter.Settings(
                "t", new SubscriberIdentity("web-1", "h", "1"), Duration.ofHours(1)),
            List.of(
                new HeartbeatReporter.Reported(
                    new ApplicationPartition("app", 0),
                    "",
                    () -> {
                      if (asked.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("native");
                      }
                      return serving(1, "");
                    })),
            () -> asked.get() == 0 ? producer(true) : producer,
            () -> Instant.ofEpochMilli(7_000),
            nanos::get);
    reporter.start();
    awaitSent(1);
  }

  @Test
  void closeAll_brokersThatNeverAnswerAndOneThatHangs_takesNoLongerThanOne() {
    // One after the other they would take 2 s each.
    List<HeartbeatReporter> reporters = new ArrayList<>();
    List<MockProducer<byte[], byte[]>> silent = new ArrayList<>();
    for (int i = 0; i < 15; i++) {
      MockProducer<byte[], byte[]> own = producer(false);
      silent.add(own);
      reporters.add(start(() -> own, Duration.ofHours(1)));
    }
    CountDownLatch never = new CountDownLatch(1);
    reporters.add(
        start(
            () -> {
              never.await();
              return producer;
            },
            Duration.ofHours(1)));
    await().until(() -> opened.get() == 16);
    await()
        .untilAsserted(() -> assertThat(silent).allSatisfy(it -> assertThat(sent(it)).hasSize(1)));
    assertThat(CompletableFuture.runAsync(() -> HeartbeatReporter.closeAll(reporters)))
        .succeedsWithin(CLOSE);
    assertThat(silent).allMatch(MockProducer::closed).allMatch(it -> it.history().size() == 1);
    assertThat(producer.history()).isEmpty();
  }

  @Test
  void period_outOfBounds_isRefused() {
    SubscriberIdentity identity = new SubscriberIdentity("a", "h", "1");
    for (Duration period : List.of(Duration.ZERO, Duration.ofMillis(999), Duration.ofHours(2))) {
      assertThatThrownBy(() -> new HeartbeatReporter.Settings("t", identity, period))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("1 s to 1 h");
    }
  }
}
