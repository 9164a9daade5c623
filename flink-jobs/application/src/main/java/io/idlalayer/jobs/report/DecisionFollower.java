package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.middleware.models.kafka.bounds.BoundedConsumer;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the status and decision topics of some applications: first the last status of each learner
 * and the newest decisions, then new events. Confined to one thread.
 */
public final class DecisionFollower implements AutoCloseable {
  /**
   * The largest numbers of events and bytes of the past that {@link #history} reads.
   *
   * @param decisions largest number of newest decisions of each topic; an update sends three or
   *     more
   * @param decisionBytes largest number of bytes of decisions of each topic
   * @param statuses largest number of newest statuses of each topic
   * @param statusesOfEach number of further statuses for each learner; a learner sends its status
   *     at least twice a minute and at most once a second
   */
  record Bounds(long decisions, long decisionBytes, long statuses, long statusesOfEach) {
    static final Bounds DEFAULT = new Bounds(30_000, 64L << 20, 10_000, 100);
  }

  /** Number of offsets by which the search for the newest bytes goes back at a time. */
  private static final long STEP = 2_000;

  private static final Duration HISTORY = Duration.ofMinutes(5);
  private static final Duration POLL = Duration.ofMillis(200);

  /** A poll that exceeds its own time limit by this time is ended. */
  private static final Duration LATE = Duration.ofSeconds(2);

  private final Supplier<KafkaConsumer<byte[], byte[]>> consumers;
  private final ScheduledExecutorService alarm =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "decision-follower-alarm");
            thread.setDaemon(true);
            return thread;
          });
  private volatile KafkaConsumer<byte[], byte[]> consumer;
  private final Set<String> applications;
  private final Set<TopicPartition> statuses = new HashSet<>();
  private final Set<TopicPartition> decisions = new HashSet<>();
  private final Bounds bounds;
  private final long statusLimit;
  private long fetched;

  /** Opens the topics of applications; waits up to a minute for the broker. */
  public DecisionFollower(List<ApplicationSettings> followed, String servers) throws IOException {
    this(followed, servers, Duration.ofMinutes(1));
  }

  /**
   * Finds the topics, and positions the consumer at their ends.
   *
   * @param patience longest time to wait for the broker
   * @throws IOException if the broker does not answer
   */
  public DecisionFollower(List<ApplicationSettings> followed, String servers, Duration patience)
      throws IOException {
    this(followed, servers, patience, Bounds.DEFAULT);
  }

  DecisionFollower(
      List<ApplicationSettings> followed, String servers, Duration patience, Bounds bounds)
      throws IOException {
    this.bounds = bounds;
    applications = followed.stream().map(ApplicationSettings::name).collect(Collectors.toSet());
    statusLimit =
        bounds.statuses()
            + bounds.statusesOfEach()
                * followed.stream().mapToLong(ApplicationSettings::partitions).sum();
    consumers =
        () ->
            new BoundedConsumer(
                KafkaClients.consumer(followed.get(0).kafka(), servers), UnpackLimits.OWN_TOPICS);
    consumer = consumers.get();
    try {
      for (ApplicationSettings application : followed) {
        statuses.addAll(partitions(application.kafka().statusTopic(), patience));
        decisions.addAll(partitions(application.kafka().decisionsTopic(), patience));
      }
      Set<TopicPartition> all = new HashSet<>(statuses);
      all.addAll(decisions);
      consumer.assign(all);
      stand(consumer.endOffsets(all, patience));
    } catch (TimeoutException silent) {
      abandon();
      throw new IOException(
          "no Kafka broker at %s answered within %d s; check --bootstrap-servers"
              .formatted(servers, patience.toSeconds()),
          silent);
    } catch (IOException | RuntimeException refused) {
      abandon();
      throw refused;
    }
  }

  private void abandon() {
    consumer.close(CloseOptions.timeout(Duration.ZERO));
    alarm.shutdownNow();
  }

  private List<TopicPartition> partitions(String topic, Duration patience) throws IOException {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic, patience).stream()
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList();
    if (partitions.isEmpty()) {
      throw new IOException("there is no topic %s yet; has the job been started?".formatted(topic));
    }
    return partitions;
  }

  /**
   * Checks that the broker answers and its partitions have not changed, because a poll cannot
   * distinguish a broker that is down from a broker without new events.
   *
   * @throws IOException if the broker does not answer, or has other partitions
   */
  public void check(Duration patience) throws IOException {
    try {
      Set<TopicPartition> now = new HashSet<>();
      for (String topic :
          consumer.assignment().stream().map(TopicPartition::topic).distinct().toList()) {
        now.addAll(partitions(topic, patience));
      }
      if (!now.equals(consumer.assignment())) {
        throw new IOException("the partitions of the topics have changed");
      }
      consumer.endOffsets(now, patience);
    } catch (TimeoutException silent) {
      throw new IOException(
          "no Kafka broker has answered for %d s".formatted(patience.toSeconds()), silent);
    }
  }

  private void stand(Map<TopicPartition, Long> at) {
    at.forEach(consumer::seek);
  }

  /**
   * Passes on events that were written until now: first the last status of each learner, and then
   * the newest decisions in their order. {@link #poll} continues with the events after these. The
   * number of events is bounded, and this class does not store them.
   *
   * @param fold receives one event after the other
   * @throws IOException if the broker stops answering
   */
  public void history(Consumer<DecisionEvent> fold) throws IOException {
    Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
    long deadlineNanos = System.nanoTime() + HISTORY.toNanos();
    try {
      read(newest(statuses, ends, statusLimit), ends, deadlineNanos, event -> take(event, fold));
      read(newestDecisions(ends, deadlineNanos), ends, deadlineNanos, event -> take(event, fold));
    } finally {
      consumer.resume(consumer.assignment());
    }
    stand(ends);
  }

  /**
   * Passes on the last status of each learner. Earlier statuses of a learner can come before it.
   * {@link #poll} continues with the events after these.
   *
   * @param fold receives one event after the other
   * @throws IOException if the broker stops answering
   */
  public void statuses(Consumer<DecisionEvent> fold) throws IOException {
    Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
    long deadlineNanos = System.nanoTime() + HISTORY.toNanos();
    try {
      read(newest(statuses, ends, statusLimit), ends, deadlineNanos, event -> take(event, fold));
    } finally {
      consumer.resume(consumer.assignment());
    }
    stand(ends);
  }

  private void take(ConsumerRecord<byte[], byte[]> record, Consumer<DecisionEvent> fold) {
    decode(record.value(), fold);
  }

  private Map<TopicPartition, Long> newest(
      Collection<TopicPartition> partitions, Map<TopicPartition, Long> ends, long records) {
    Map<TopicPartition, Long> from = new HashMap<>();
    consumer
        .beginningOffsets(partitions)
        .forEach(
            (partition, begin) ->
                from.put(partition, Math.max(begin, offset(ends, partition) - records)));
    return from;
  }

  /** Returns the requested offset; 0 if it is missing. */
  private static long offset(Map<TopicPartition, Long> offsets, TopicPartition partition) {
    return offsets.getOrDefault(partition, 0L);
  }

  /**
   * Returns the offsets from which the newest decisions are read: goes back in steps until there
   * are enough records or bytes.
   */
  private Map<TopicPartition, Long> newestDecisions(
      Map<TopicPartition, Long> ends, long deadlineNanos) throws IOException {
    Map<TopicPartition, Long> oldest = newest(decisions, ends, bounds.decisions());
    Map<TopicPartition, Long> from = new HashMap<>();
    for (TopicPartition partition : decisions) {
      long at = offset(ends, partition);
      long[] bytes = new long[1];
      while (at > offset(oldest, partition) && bytes[0] < bounds.decisionBytes()) {
        long back = Math.max(offset(oldest, partition), at - STEP);
        read(
            Map.of(partition, back),
            Map.of(partition, at),
            deadlineNanos,
            record -> bytes[0] += record.serializedValueSize());
        at = back;
      }
      from.put(partition, at);
    }
    return from;
  }

  /** Reads given ranges of some partitions, while the other partitions are paused. */
  private void read(
      Map<TopicPartition, Long> from,
      Map<TopicPartition, Long> to,
      long deadlineNanos,
      Consumer<ConsumerRecord<byte[], byte[]>> each)
      throws IOException {
    consumer.pause(consumer.assignment());
    consumer.resume(from.keySet());
    stand(from);
    while (from.keySet().stream().anyMatch(it -> consumer.position(it) < offset(to, it))) {
      ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
      fetched += records.count();
      for (ConsumerRecord<byte[], byte[]> record : records) {
        Long end = to.get(new TopicPartition(record.topic(), record.partition()));
        if (end != null && record.offset() < end) {
          each.accept(record);
        }
      }
      if (System.nanoTime() > deadlineNanos) {
        throw new IOException(
            "reading the newest decisions took longer than " + HISTORY.toSeconds() + " s");
      }
    }
  }

  /** Returns the number of records received from the broker since the start. */
  long fetched() {
    return fetched;
  }

  /**
   * Waits for events and returns them. Records that are not events of these applications are
   * skipped.
   */
  public List<DecisionEvent> poll(Duration longest) {
    List<DecisionEvent> events = new ArrayList<>();
    ScheduledFuture<?> late =
        alarm.schedule(this::endPoll, longest.plus(LATE).toMillis(), TimeUnit.MILLISECONDS);
    try {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(longest)) {
        decode(record.value(), events::add);
      }
    } catch (WakeupException clockSetBack) {
      beginAnew();
    } finally {
      late.cancel(false);
    }
    return events;
  }

  /** Ends the running poll, or the next one. Safe from any thread. */
  void endPoll() {
    consumer.wakeup();
  }

  /**
   * Replaces the consumer, which measures time by the wall clock: if the clock is set back by a
   * day, a poll lasts a day, and the consumer's wait before its next attempt to reach a broker can
   * also last a day.
   */
  private void beginAnew() {
    Map<TopicPartition, Long> positions = new HashMap<>();
    for (TopicPartition partition : consumer.assignment()) {
      positions.put(partition, consumer.position(partition));
    }
    consumer.close(CloseOptions.timeout(Duration.ZERO));
    consumer = consumers.get();
    consumer.assign(positions.keySet());
    stand(positions);
  }

  private void decode(byte @Nullable [] value, Consumer<DecisionEvent> to) {
    DecisionEventCodec.decode(value)
        .filter(event -> applications.contains(event.application()))
        .ifPresent(to);
  }

  @Override
  public void close() {
    alarm.shutdownNow();
    consumer.close();
  }
}
