package io.idlalayer.middleware.models.kafka;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Reports to a Kafka topic which versions the subscribers of this process serve: once each period,
 * and at once when the version changes, but at most once a second. Close it before the subscribers,
 * so that it can report that they stop.
 *
 * <pre>{@code
 * Map<String, Object> kafka = Map.of("bootstrap.servers", "kafka:9092");
 * var identity = SubscriberIdentity.ofProcess("checkout-3", new SplittableRandom());
 * try (var reporter = HeartbeatReporter.start(
 *     kafka, "electricity-subscribers", identity, List.of(Reported.of(subscriber)))) {
 *   ...
 * }
 * }</pre>
 *
 * <p>It has a thread of its own, and no other thread waits for it: if the broker is slow, down or
 * refuses, heartbeats are lost and one line is logged. At most one heartbeat of each subscriber is
 * in flight. After a failure the reporter starts again, with pauses that double up to 30 s. It
 * checks that the topic exists and does not create it. If the topic is deleted while the reporter
 * runs, a broker that creates topics automatically may create it again.
 */
public final class HeartbeatReporter implements AutoCloseable {
  /** Default time between two heartbeats of a subscriber. */
  public static final Duration PERIOD = Duration.ofSeconds(10);

  private static final long LOOK_MILLIS = 100;
  private static final long ANSWER_MILLIS = 15_000;
  private static final long LAST_ANSWER_MILLIS = 2_000;

  private final String topic;
  private final Opener opener;
  private final InstantSource clock;
  private final LongSupplier nanoClock;
  private final List<Reporting> subscribers;
  private final ClientThread<Producer<byte[], byte[]>> thread;

  /** Opens the Kafka producer that sends the heartbeats, again after it has failed. */
  @FunctionalInterface
  interface Opener {
    /**
     * @throws Exception if no producer can be opened now; the reporter tries again later
     */
    Producer<byte[], byte[]> open() throws Exception;
  }

  /**
   * A subscriber whose heartbeats this reporter sends.
   *
   * @param alias that it follows, "" for the pointer or the pin
   * @param status asked for from another thread, ten times a second
   */
  public record Reported(
      ApplicationPartition of, String alias, Supplier<ModelSubscriber.Status> status) {
    public static Reported of(ModelSubscriber<?> subscriber) {
      ModelSubscriber.Subscription followed = subscriber.subscription();
      String alias = followed.alias();
      return new Reported(
          new ApplicationPartition(followed.application(), followed.partition()),
          alias == null ? "" : alias,
          subscriber::status);
    }
  }

  /** The topic, the identity in the heartbeats, and the time between two of them. */
  record Settings(String topic, SubscriberIdentity identity, Duration period) {
    /**
     * @throws IllegalArgumentException if the period is not a second to an hour
     */
    Settings {
      if (period.toMillis() < Heartbeat.Beat.SHORTEST_PERIOD_MILLIS
          || period.toMillis() > Heartbeat.Beat.LONGEST_PERIOD_MILLIS) {
        throw new IllegalArgumentException("period must be 1 s to 1 h, not " + period);
      }
    }
  }

  HeartbeatReporter(
      Settings settings,
      List<Reported> reported,
      Opener opener,
      InstantSource clock,
      LongSupplier nanoClock) {
    this.topic = settings.topic();
    this.opener = opener;
    this.clock = clock;
    this.nanoClock = nanoClock;
    this.subscribers = reported.stream().map(each -> new Reporting(settings, each)).toList();
    thread = new ClientThread<>("model-heartbeats", "heartbeats on " + topic, new Reports());
  }

  /**
   * Starts a reporter that sends a heartbeat of each subscriber every {@link #PERIOD}.
   *
   * @param clientProperties Kafka client properties, {@code bootstrap.servers} among them, and what
   *     TLS and SASL need
   * @param topic that exists and is compacted; {@code APPLICATION-subscribers} unless the
   *     application file says otherwise
   * @param reported subscribers of one process, each of another application partition or alias
   */
  public static HeartbeatReporter start(
      Map<String, ?> clientProperties,
      String topic,
      SubscriberIdentity identity,
      List<Reported> reported) {
    return start(clientProperties, topic, identity, reported, PERIOD);
  }

  /**
   * Starts a reporter with a given time between two heartbeats.
   *
   * @param period time between two heartbeats, a second to an hour
   */
  public static HeartbeatReporter start(
      Map<String, ?> clientProperties,
      String topic,
      SubscriberIdentity identity,
      List<Reported> reported,
      Duration period) {
    HeartbeatReporter reporter =
        new HeartbeatReporter(
            new Settings(topic, identity, period),
            reported,
            new TopicProducers(clientProperties, topic)::open,
            InstantSource.system(),
            System::nanoTime);
    reporter.start();
    return reporter;
  }

  void start() {
    thread.start();
  }

  /** Returns the topic of the heartbeats. */
  public String topic() {
    return topic;
  }

  /** Returns the reason why the last heartbeats could not be sent, "" after a success. */
  public String lastError() {
    return thread.lastError();
  }

  /** The state of one subscriber's reports. */
  private static final class Reporting {
    private final Settings settings;
    private final Reported reported;
    private final HeartbeatSchedule schedule;
    private long number;

    Reporting(Settings settings, Reported reported) {
      this.settings = settings;
      this.reported = reported;
      schedule = new HeartbeatSchedule(settings.period().toNanos());
    }

    /** Returns the next heartbeat if one is due, or if it is the last one; otherwise null. */
    @Nullable Heartbeat next(long nowMillis, long nowNanos, boolean stopped) {
      ModelSubscriber.Status status = reported.status().get();
      Heartbeat.Service service =
          new Heartbeat.Service(
              status.version(),
              Math.max(0, status.servingSinceMillis()),
              Math.max(0, status.publishedAtMillis()),
              status.stalenessMillis(),
              status.stale());
      if (!stopped && !schedule.due(nowNanos, service)) {
        return null;
      }
      schedule.sent(nowNanos, service);
      number++;
      return new Heartbeat(
          reported.of().application(),
          reported.of().partition(),
          settings.identity(),
          reported.alias(),
          service,
          new Heartbeat.Refusals(status.refused(), status.lastError()),
          new Heartbeat.Leases(status.openLeases(), status.retired()),
          new Heartbeat.Beat(
              number, Math.max(0, nowMillis), settings.period().toMillis(), stopped));
    }
  }

  /** Sends heartbeats, and at the end that the subscribers stop. */
  private final class Reports implements ClientThread.Work<Producer<byte[], byte[]>> {
    @Override
    public Producer<byte[], byte[]> open() throws Exception {
      return opener.open();
    }

    @Override
    public void run(Producer<byte[], byte[]> producer, ClientThread.Turn turn) throws Exception {
      boolean done = false;
      try {
        do {
          if (beat(producer, false, ANSWER_MILLIS)) {
            turn.succeeded();
          }
        } while (!turn.awaitClosing(LOOK_MILLIS));
        beat(producer, true, LAST_ANSWER_MILLIS);
        done = true;
      } finally {
        if (!done) {
          subscribers.forEach(each -> each.schedule.lost());
        }
      }
    }

    @Override
    public void close(Producer<byte[], byte[]> producer, Duration longest) {
      producer.close(longest);
    }
  }

  /**
   * Sends the heartbeats that are due and waits until the broker has them; returns false if none
   * was due.
   */
  private boolean beat(Producer<byte[], byte[]> producer, boolean stopped, long longestMillis)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<Future<?>> sent = new ArrayList<>();
    for (Reporting each : subscribers) {
      Heartbeat next = each.next(clock.millis(), nanoClock.getAsLong(), stopped);
      if (next != null) {
        byte[] key = next.key().getBytes(StandardCharsets.UTF_8);
        sent.add(producer.send(new ProducerRecord<>(topic, key, HeartbeatCodec.encode(next))));
      }
    }
    long deadlineNanos = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(longestMillis);
    for (Future<?> each : sent) {
      each.get(Math.max(0, deadlineNanos - nanoClock.getAsLong()), TimeUnit.NANOSECONDS);
    }
    return !sent.isEmpty();
  }

  /**
   * Sends a last heartbeat of each subscriber, if the broker answers within 2 s, and ends the
   * reporter. Takes 5 s at most.
   */
  @Override
  public void close() {
    closeAll(List.of(this));
  }

  /** Closes several reporters at the same time, which takes at most 5 s altogether. */
  public static void closeAll(Collection<HeartbeatReporter> reporters) {
    ClientThread.closeAll(reporters.stream().map(each -> each.thread).toList());
  }
}
