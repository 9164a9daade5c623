package io.idlalayer.middleware.checkpoint.kafka;

import io.idlalayer.middleware.checkpoint.ModelNotice;
import io.idlalayer.middleware.checkpoint.NoticeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the compacted {@code models} topic from its beginning, without a consumer group. */
public final class KafkaNoticeSource implements NoticeSource {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final String application;
  private final int partition;

  /**
   * Connects.
   *
   * @param clientProperties Kafka client properties, {@code bootstrap.servers} among them
   * @param topic the application's models topic
   */
  public KafkaNoticeSource(
      Map<String, Object> clientProperties, String topic, String application, int partition) {
    this.application = application;
    this.partition = partition;
    consumer =
        new KafkaConsumer<>(
            clientProperties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    List<TopicPartition> all =
        consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList();
    consumer.assign(all);
    consumer.seekToBeginning(all);
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
      throw (InterruptedException) new InterruptedException().initCause(stopped);
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
