package io.idlalayer.jobs.job;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.DeadLetterHeaders;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.kafka.ModelNoticeCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka sinks for decisions, notices and dead letters. All sinks deliver at least once. A
 * repeated record is harmless, because decisions and notices carry numbers, and dead letters carry
 * the offset of the event. No value is longer than {@link #VALUE_BYTES_MAX}, so that no record can
 * end the job by its size.
 */
public final class Sinks {
  /**
   * Largest size in bytes of a record's value. It is less than the default limit of a broker (1
   * MiB), because the limit includes headers.
   */
  static final int VALUE_BYTES_MAX = (1 << 20) - KafkaClients.RECORD_OVERHEAD_BYTES;

  private Sinks() {}

  static KafkaSink<DecisionEvent> decisions(List<ApplicationSettings> apps, String servers) {
    return sink(decisionProducer(apps, servers), servers, decisions(apps));
  }

  static KafkaSink<ModelNotice> notices(List<ApplicationSettings> apps, String servers) {
    return sink(
        KafkaClients.producer(apps.get(0).kafka(), servers, VALUE_BYTES_MAX),
        servers,
        notices(apps));
  }

  static KafkaSink<DeadLetter> deadLetters(List<ApplicationSettings> apps, String servers) {
    return sink(
        KafkaClients.producer(apps.get(0).kafka(), servers, VALUE_BYTES_MAX),
        servers,
        deadLetters(apps));
  }

  /** Returns one sink for records of all kinds. */
  public static <T> KafkaSink<T> records(
      List<ApplicationSettings> apps, String servers, ToRecord<T> toRecord) {
    return sink(decisionProducer(apps, servers), servers, toRecord);
  }

  private static Map<String, Object> decisionProducer(
      List<ApplicationSettings> apps, String servers) {
    return KafkaClients.eventProducer(apps.get(0).kafka(), servers, VALUE_BYTES_MAX);
  }

  /**
   * Returns the function that converts a decision to a Kafka record for the topic of its
   * application.
   */
  public static ToRecord<DecisionEvent> decisions(List<ApplicationSettings> apps) {
    Map<String, String> decisions = topics(apps, ApplicationSettings.Kafka::decisionsTopic);
    Map<String, String> statuses = topics(apps, ApplicationSettings.Kafka::statusTopic);
    return event -> {
      boolean status = event.type() == DecisionEvent.Type.STATUS;
      return record(
          status ? statuses : decisions,
          event.application(),
          status ? event.learner() : event.application(),
          DecisionEventCodec.encode(event));
    };
  }

  /**
   * Returns the function that converts a notice to a Kafka record for the topic of its application.
   */
  public static ToRecord<ModelNotice> notices(List<ApplicationSettings> apps) {
    Map<String, String> topics = topics(apps, ApplicationSettings.Kafka::modelsTopic);
    return notice ->
        record(topics, notice.application(), notice.key(), ModelNoticeCodec.encode(notice));
  }

  /**
   * Returns the function that converts a dead letter to a Kafka record for the topic of its
   * application.
   */
  public static ToRecord<DeadLetter> deadLetters(List<ApplicationSettings> apps) {
    Map<String, String> topics = topics(apps, ApplicationSettings.Kafka::deadLettersTopic);
    return letter -> {
      ProducerRecord<byte[], byte[]> record =
          record(topics, letter.application(), letter.application(), letter.event());
      DeadLetterHeaders.add(record.headers(), letter);
      return record;
    };
  }

  /** Creates a record for the topic of an application. */
  private static ProducerRecord<byte[], byte[]> record(
      Map<String, String> topics, String application, String key, byte[] value) {
    return new ProducerRecord<>(topics.get(application), utf8(key), value);
  }

  /**
   * Converts an element to a Kafka record. The function is serializable, because Flink sends it to
   * the TaskManagers.
   */
  public interface ToRecord<T>
      extends Function<T, ProducerRecord<byte[], byte[]>>, java.io.Serializable {}

  /** The serialization schema that Flink's Kafka sink requires. */
  private record Schema<T>(ToRecord<T> toRecord) implements KafkaRecordSerializationSchema<T> {
    @Override
    public @Nullable ProducerRecord<byte[], byte[]> serialize(
        T element, KafkaSinkContext context, @Nullable Long timestamp) {
      return toRecord.apply(element);
    }
  }

  private static <T> KafkaSink<T> sink(
      Map<String, Object> producer, String servers, ToRecord<T> toRecord) {
    Properties properties = new Properties();
    properties.putAll(producer);
    return KafkaSink.<T>builder()
        .setBootstrapServers(servers)
        .setKafkaProducerConfig(properties)
        .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .setRecordSerializer(new Schema<>(toRecord))
        .build();
  }

  private static Map<String, String> topics(
      List<ApplicationSettings> apps, Function<ApplicationSettings.Kafka, String> topic) {
    return apps.stream()
        .collect(Collectors.toMap(ApplicationSettings::name, app -> topic.apply(app.kafka())));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
