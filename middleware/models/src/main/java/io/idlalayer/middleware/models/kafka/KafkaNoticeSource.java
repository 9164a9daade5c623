package io.idlalayer.middleware.models.kafka;

import io.idlalayer.middleware.models.kafka.bounds.BoundedConsumer;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import io.idlalayer.middleware.models.serve.NoticeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Receives notices of new versions from the {@code models} topic, without a consumer group. It
 * reads only notices that are sent after the source was opened. Earlier notices do not matter,
 * because the caller reads the pointer after it has opened the source.
 *
 * <pre>{@code
 * Map<String, Object> kafka = Map.of("bootstrap.servers", "kafka:9092");
 * subscriber.start(
 *     () -> new KafkaNoticeSource(kafka, "electricity-models", "electricity", 0),
 *     System.err::println);
 * }</pre>
 */
public final class KafkaNoticeSource implements NoticeSource {
  private static final Duration CLOSING = Duration.ofSeconds(2);
  private static final int ANSWER_MILLIS = 10_000;

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final String application;
  private final int partition;

  /**
   * Connects to the broker and waits for its answer: 10 s at most, or {@code
   * default.api.timeout.ms}.
   *
   * @param clientProperties Kafka client properties: {@code bootstrap.servers}, and the properties
   *     that TLS and SASL need
   * @param topic the application's models topic
   * @throws IOException if there is no such topic
   * @throws org.apache.kafka.common.KafkaException if no broker answers, or the broker refuses
   */
  public KafkaNoticeSource(
      Map<String, ?> clientProperties, String topic, String application, int partition)
      throws IOException {
    this.application = application;
    this.partition = partition;
    consumer = new BoundedConsumer(properties(clientProperties), UnpackLimits.OWN_TOPICS);
    boolean done = false;
    try {
      List<TopicPartition> partitions = partitions(topic);
      consumer.assign(partitions);
      consumer.seekToEnd(partitions);
      // Without this call the consumer would seek at its first poll, and miss notices sent until
      // then.
      partitions.forEach(consumer::position);
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private static Map<String, Object> properties(Map<String, ?> given) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    properties.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS / 2);
    properties.putAll(given);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return properties;
  }

  private List<TopicPartition> partitions(String topic) throws IOException {
    @Nullable List<PartitionInfo> found = consumer.partitionsFor(topic);
    if (found == null || found.isEmpty()) {
      throw new IOException("there is no topic " + topic + " with notices of models");
    }
    return found.stream().map(info -> new TopicPartition(info.topic(), info.partition())).toList();
  }

  @Override
  public boolean await(Duration longest) throws InterruptedException {
    try {
      boolean mine = false;
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(longest)) {
        Optional<ModelNotice> notice = ModelNoticeCodec.decode(record.value());
        mine |=
            notice.isPresent()
                && notice.get().application().equals(application)
                && notice.get().partition() == partition;
      }
      return mine;
    } catch (InterruptException stopped) {
      // Kafka sets the interrupt flag again; a method that throws InterruptedException clears it.
      Thread.interrupted();
      throw (InterruptedException) new InterruptedException().initCause(stopped);
    }
  }

  @Override
  public void close() {
    consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(CLOSING));
  }
}
