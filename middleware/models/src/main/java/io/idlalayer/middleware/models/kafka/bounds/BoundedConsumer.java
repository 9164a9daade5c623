package io.idlalayer.middleware.models.kafka.bounds;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A consumer of bytes that limits how much it unpacks; otherwise it behaves as Kafka's consumer.
 */
public final class BoundedConsumer extends KafkaConsumer<byte[], byte[]> {
  private final UnpackBounds bounds;

  /**
   * @param properties Kafka client properties, without deserializers
   */
  public BoundedConsumer(Map<String, ?> properties, UnpackLimits limits) {
    super(classic(properties), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    bounds = UnpackBounds.on(this, limits);
  }

  private static Map<String, Object> classic(Map<String, ?> properties) {
    Map<String, Object> classic = new HashMap<>(properties);
    classic.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, GroupProtocol.CLASSIC.name());
    return classic;
  }

  @Override
  public ConsumerRecords<byte[], byte[]> poll(Duration longest) {
    bounds.beginPoll();
    return super.poll(longest);
  }
}
