package io.idlalayer.jobs.settings;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.IsolationLevel;

/**
 * The properties of Kafka clients: the properties in the application file, and the properties that
 * the product needs.
 */
public final class KafkaClients {
  /** Name of the property that says whether clients read events of open or aborted transactions. */
  static final String ISOLATION = ConsumerConfig.ISOLATION_LEVEL_CONFIG;

  static final List<String> ISOLATION_LEVELS = List.of("read_committed", "read_uncommitted");

  /** Name of the property that says how often Flink's source looks for new partitions. */
  static final String DISCOVERY = "partition.discovery.interval.ms";

  /**
   * Pattern of the accepted milliseconds between two searches. Flink would never search with a
   * number of 0 or less.
   */
  static final Pattern DISCOVERY_TIMES = Pattern.compile("[1-9][0-9]{0,8}");

  /** Milliseconds between two searches for partitions that were added to a topic. */
  private static final int DISCOVERY_MILLIS = 30_000;

  /** Largest number of bytes that a record's headers, key and batch add to its value. */
  public static final int RECORD_OVERHEAD_BYTES = 64 << 10;

  /**
   * Milliseconds that a record waits for others before it is sent, and that a fetch waits for
   * enough records. A broker's work depends on the number of requests, so few large requests are
   * much cheaper than many small ones.
   */
  private static final int GATHERING_MILLIS = 10;

  private static final int FETCH_MILLIS = 20;

  /**
   * Milliseconds that an event of a learner waits for others: a delay does not matter, because
   * people and files read them.
   */
  private static final int EVENT_MILLIS = 250;

  private static final int BATCH_BYTES = 256 << 10;
  private static final int FETCH_BYTES = 64 << 10;
  private static final int POLLED_RECORDS = 4_000;
  private static final int REQUEST_MILLIS = 15_000;
  private static final int DEFAULT_REQUEST_BYTES = 1 << 20;
  private static final long DEFAULT_BUFFER_BYTES = 64L << 20;

  private KafkaClients() {}

  /** Returns the properties that every kind of client needs. */
  public static Map<String, Object> common(ApplicationSettings.Kafka kafka, String servers) {
    Map<String, Object> properties = new HashMap<>(kafka.properties());
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers);
    return properties;
  }

  /** Returns the properties of an admin client that gives up on a dead broker soon. */
  public static Map<String, Object> admin(ApplicationSettings.Kafka kafka, String servers) {
    Map<String, Object> properties = common(kafka, servers);
    properties.putIfAbsent(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
    properties.putIfAbsent(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    return properties;
  }

  /**
   * Returns the properties of a producer that neither loses nor repeats records. The caller sets
   * the serializers.
   */
  public static Map<String, Object> producer(ApplicationSettings.Kafka kafka, String servers) {
    Map<String, Object> properties = common(kafka, servers);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, GATHERING_MILLIS);
    properties.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
    properties.putIfAbsent(ProducerConfig.BUFFER_MEMORY_CONFIG, DEFAULT_BUFFER_BYTES);
    return properties;
  }

  /**
   * Returns the properties of a producer that accepts values up to a limit, even if the
   * application's properties have a smaller limit.
   */
  public static Map<String, Object> producer(
      ApplicationSettings.Kafka kafka, String servers, int valueBytesMax) {
    Map<String, Object> properties = producer(kafka, servers);
    long request = Math.min(Integer.MAX_VALUE, (long) valueBytesMax + RECORD_OVERHEAD_BYTES);
    long given = number(kafka, ProducerConfig.MAX_REQUEST_SIZE_CONFIG, DEFAULT_REQUEST_BYTES);
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, (int) Math.max(request, given));
    long buffer = number(kafka, ProducerConfig.BUFFER_MEMORY_CONFIG, DEFAULT_BUFFER_BYTES);
    long batch = number(kafka, ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
    properties.put(
        ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(buffer, 2 * Math.max(request, batch)));
    return properties;
  }

  /**
   * Returns the properties of a producer of statuses and decision events. It waits longer than
   * other producers for further records of a batch, unless the application's properties have {@code
   * linger.ms}.
   */
  public static Map<String, Object> eventProducer(
      ApplicationSettings.Kafka kafka, String servers, int valueBytesMax) {
    Map<String, Object> properties = producer(kafka, servers, valueBytesMax);
    if (!kafka.properties().containsKey(ProducerConfig.LINGER_MS_CONFIG)) {
      properties.put(ProducerConfig.LINGER_MS_CONFIG, EVENT_MILLIS);
    }
    return properties;
  }

  /** Returns the size of the largest record of an application's input, including its headers. */
  public static long recordBytes(ApplicationSettings application) {
    return (long) application.input().maxEventBytes() + RECORD_OVERHEAD_BYTES;
  }

  private static long number(ApplicationSettings.Kafka kafka, String key, long otherwise) {
    String text = kafka.properties().get(key);
    try {
      return text == null ? otherwise : Long.parseLong(text.trim());
    } catch (NumberFormatException leftToKafka) {
      // Kafka reports an invalid value in its own words when it is used.
      return otherwise;
    }
  }

  /**
   * Returns the properties of a consumer without commits, which does not see events of aborted
   * transactions unless the application's properties say otherwise. The caller sets the
   * deserializers.
   */
  public static Map<String, Object> consumer(ApplicationSettings.Kafka kafka, String servers) {
    Map<String, Object> properties = common(kafka, servers);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    // A consumer must not create topics, because the broker would create them with its default
    // settings.
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    // Only this consumer bounds the bytes that it unpacks.
    properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, GroupProtocol.CLASSIC.name());
    properties.putIfAbsent(ISOLATION, ISOLATION_LEVELS.get(0));
    return properties;
  }

  /** Returns the isolation level with which the application's consumers read. */
  public static IsolationLevel isolation(ApplicationSettings.Kafka kafka) {
    String level = kafka.properties().getOrDefault(ISOLATION, ISOLATION_LEVELS.get(0));
    return IsolationLevel.valueOf(level.toUpperCase(Locale.ROOT));
  }

  /**
   * Returns the properties of {@link #consumer}, and the properties with which the input's consumer
   * fetches many records at once.
   */
  public static Map<String, Object> inputConsumer(ApplicationSettings.Kafka kafka, String servers) {
    Map<String, Object> properties = consumer(kafka, servers);
    properties.putIfAbsent(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, FETCH_BYTES);
    properties.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_MILLIS);
    properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLLED_RECORDS);
    properties.putIfAbsent(DISCOVERY, Integer.toString(DISCOVERY_MILLIS));
    return properties;
  }
}
