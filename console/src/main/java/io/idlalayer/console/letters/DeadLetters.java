package io.idlalayer.console.letters;

import io.idlalayer.jobs.produce.Resend;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.DeadLetterHeaders;
import io.idlalayer.middleware.models.kafka.bounds.BoundedConsumer;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import io.idlalayer.middleware.sample.text.ShownBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The dead-letter topic of one application. Safe from any thread. */
public final class DeadLetters {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final int SHOWN_BYTES = 256;
  private static final long MOST_BYTES = 8L << 20;

  private final ApplicationSettings application;
  private final String servers;

  public DeadLetters(ApplicationSettings application, String servers) {
    this.application = application;
    this.servers = servers;
  }

  /**
   * An event that the application refused.
   *
   * @param id partition and offset in the dead-letter topic, as in {@code 0-17}
   * @param atMillis when the dead letter was written, epoch milliseconds
   * @param topic topic of the event; {@code partition} and {@code offset} are its position in this
   *     topic
   * @param origin file and line that the producer sent, "" if unknown
   * @param text text of the event; if it is binary, its first bytes, those that are not UTF-8 as in
   *     {@code \xE9}, with "..." at the end if there are more
   * @param length size of the event in bytes
   * @param cut whether only the beginning of the event is kept
   * @param obstacle a sentence why the event cannot be sent again unchanged; "" if it can
   */
  public record Letter(
      String id,
      long atMillis,
      String topic,
      int partition,
      long offset,
      String reason,
      String origin,
      String text,
      boolean binary,
      long length,
      boolean cut,
      String obstacle) {}

  /**
   * The newest dead letters.
   *
   * @param problem why letters are missing; "" if none are missing
   * @param total number of records that the topic still has
   */
  public record Page(String problem, long total, List<Letter> letters) {}

  /**
   * Reads the newest dead letters of all partitions of the topic.
   *
   * @throws IOException if the broker does not answer in time
   */
  public Page newest(int most) throws IOException {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(application.kafka().deadLettersTopic(), PATIENCE).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions, PATIENCE);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
      long total = 0;
      Map<TopicPartition, Long> from = new HashMap<>();
      for (TopicPartition partition : partitions) {
        long begin = begins.getOrDefault(partition, 0L);
        long end = ends.getOrDefault(partition, 0L);
        total += end - begin;
        long share = Math.max(1, most / Math.max(1, partitions.size()));
        from.put(partition, Math.max(begin, end - share));
      }
      List<Letter> letters = new ArrayList<>();
      Found found = read(consumer, from, ends);
      found.records().forEach(record -> letters.add(letter(record)));
      letters.sort(Comparator.comparingLong(Letter::atMillis).reversed());
      return new Page(found.problem(), total, letters.subList(0, Math.min(most, letters.size())));
    } catch (KafkaException refused) {
      throw failed(refused);
    }
  }

  /**
   * Sends the event or label of a letter to its topic of the application's input again.
   *
   * @param repaired event to send instead of the original one; null to send the original
   * @throws IllegalArgumentException if there is no such letter, if it was not an event of the
   *     application's input, or if only the beginning of the event was kept and {@code repaired} is
   *     null
   * @throws IOException if the broker does not answer, or refuses it
   */
  public void resend(String id, @Nullable String repaired)
      throws IOException, InterruptedException {
    if (!id.matches("[0-9]{1,9}-[0-9]{1,18}")) {
      throw new IllegalArgumentException(
          "a dead letter is named by partition and offset, as in 0-17");
    }
    int dash = id.indexOf('-');
    TopicPartition partition =
        new TopicPartition(
            application.kafka().deadLettersTopic(), Integer.parseInt(id.substring(0, dash)));
    long offset = Long.parseLong(id.substring(dash + 1));
    DeadLetter letter = find(partition, offset);
    String obstacle = repaired == null ? obstacle(letter) : foreign(letter);
    if (!obstacle.isEmpty()) {
      throw new IllegalArgumentException(obstacle);
    }
    byte[] event = repaired == null ? letter.event() : repaired.getBytes(StandardCharsets.UTF_8);
    ApplicationSettings source =
        application.input().takesEventsOf(letter.topic())
            ? application.ofTopic(letter.topic())
            : application.ofLabels();
    new Resend(source, servers).send(event, "dead letter " + id);
  }

  private String obstacle(DeadLetter letter) {
    String foreign = foreign(letter);
    return foreign.isEmpty() && letter.length() > letter.event().length
        ? "only the first %,d of %,d bytes of the event were kept; send it from its source again"
            .formatted(letter.event().length, letter.length())
        : foreign;
  }

  /**
   * Returns why the event of a letter must not be sent to the application's input; "" if it is
   * allowed to be sent.
   */
  private String foreign(DeadLetter letter) {
    String topic = letter.topic();
    if (topic.equals(application.kafka().controlTopic())) {
      return "it is a request from the control topic %s, not an event; make the request again"
          .formatted(topic);
    }
    return application.input().reads(topic)
        ? ""
        : "it was read from topic %s, and events of %s are read from %s"
            .formatted(topic, application.name(), sources());
  }

  private String sources() {
    String pattern = application.input().topicPattern();
    return pattern == null
        ? String.join(" and ", application.input().topics())
        : "topics that match " + pattern;
  }

  private DeadLetter find(TopicPartition partition, long offset) throws IOException {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      List<TopicPartition> one = List.of(partition);
      boolean exists =
          consumer.partitionsFor(partition.topic(), PATIENCE).stream()
              .anyMatch(info -> info.partition() == partition.partition());
      boolean kept =
          exists
              && offset >= consumer.beginningOffsets(one, PATIENCE).getOrDefault(partition, 0L)
              && offset < consumer.endOffsets(one, PATIENCE).getOrDefault(partition, 0L);
      if (kept) {
        Found found = read(consumer, Map.of(partition, offset), Map.of(partition, offset + 1));
        if (!found.records().isEmpty()) {
          return DeadLetterHeaders.read(found.records().get(0));
        }
        if (!found.problem().isEmpty()) {
          throw new IOException(found.problem());
        }
      }
      throw new IllegalArgumentException(
          "there is no dead letter %d-%d any more".formatted(partition.partition(), offset));
    } catch (KafkaException refused) {
      throw failed(refused);
    }
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    return new BoundedConsumer(
        KafkaClients.consumer(application.kafka(), servers), UnpackLimits.OWN_TOPICS);
  }

  /**
   * The letters that were read from the topic, and the problem that prevented reading further
   * letters.
   *
   * @param problem why records are missing; "" if none are missing
   */
  private record Found(List<ConsumerRecord<byte[], byte[]>> records, String problem) {}

  private static Found read(
      KafkaConsumer<byte[], byte[]> consumer,
      Map<TopicPartition, Long> from,
      Map<TopicPartition, Long> ends) {
    Set<TopicPartition> all = from.keySet();
    consumer.assign(all);
    from.forEach(consumer::seek);
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    long bytes = 0;
    long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
    while (all.stream().anyMatch(it -> consumer.position(it) < ends.getOrDefault(it, 0L))) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        long end = ends.getOrDefault(new TopicPartition(record.topic(), record.partition()), 0L);
        if (record.offset() < end && bytes < MOST_BYTES) {
          records.add(record);
          bytes += Math.max(0, record.serializedValueSize());
        }
      }
      if (bytes >= MOST_BYTES) {
        return new Found(
            records, "these are not all: more than %,d MiB".formatted(MOST_BYTES >> 20));
      }
      if (System.nanoTime() > deadlineNanos) {
        return new Found(
            records,
            "these are not all: reading took longer than %d s".formatted(PATIENCE.toSeconds()));
      }
    }
    return new Found(records, "");
  }

  private Letter letter(ConsumerRecord<byte[], byte[]> record) {
    DeadLetter letter = DeadLetterHeaders.read(record);
    boolean cut = letter.length() > letter.event().length;
    boolean binary = !ShownBytes.isText(letter.event(), cut);
    return new Letter(
        record.partition() + "-" + record.offset(),
        record.timestamp(),
        letter.topic(),
        letter.partition(),
        letter.offset(),
        letter.reason(),
        letter.origin(),
        binary ? shown(letter) : new String(letter.event(), StandardCharsets.UTF_8),
        binary,
        letter.length(),
        cut,
        obstacle(letter));
  }

  /** Returns an event that is not text in a form that can be read, but not sent. */
  private static String shown(DeadLetter letter) {
    int shown = Math.min(letter.event().length, SHOWN_BYTES);
    boolean more = letter.length() > shown;
    return ShownBytes.escaped(letter.event(), shown, more) + (more ? "..." : "");
  }

  private IOException failed(KafkaException refused) {
    return new IOException(
        "the topic %s cannot be read: %s"
            .formatted(application.kafka().deadLettersTopic(), refused.getMessage()),
        refused);
  }
}
