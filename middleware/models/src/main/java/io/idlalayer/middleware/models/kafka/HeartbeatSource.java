package io.idlalayer.middleware.models.kafka;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads heartbeats from their Kafka topics, without a consumer group: first the newest past
 * records, then new ones as they arrive. A record that is not a heartbeat, or that has the key of
 * another heartbeat, is skipped. A topic that does not exist or may not be read is left out, see
 * {@link #problems}. Confined to one thread.
 */
public final class HeartbeatSource implements AutoCloseable {
  private final TopicRecords records;

  /**
   * A heartbeat from the topic.
   *
   * @param atMillis timestamp of its record, epoch milliseconds: by the broker's clock if the topic
   *     has {@code message.timestamp.type=LogAppendTime}, as the job makes it
   * @param past whether it was there before the source was opened
   */
  public record Heard(Heartbeat heartbeat, long atMillis, boolean past) {}

  /**
   * Connects to the broker, and waits for its answer: 5 s at most.
   *
   * @param clientProperties Kafka client properties, {@code bootstrap.servers} among them, and what
   *     TLS and SASL need
   * @param topics topics to read; those that do not exist, or that this client may not read, are
   *     left out
   * @throws IOException if none of the topics is left, or no broker answers, or it refuses
   */
  public HeartbeatSource(Map<String, ?> clientProperties, Collection<String> topics)
      throws IOException {
    records =
        new TopicRecords(
            clientProperties,
            topics,
            new TopicRecords.Words(
                "heartbeats",
                "no subscriber reports itself",
                KafkaReasons.servers(clientProperties),
                "check --bootstrap-servers and, for TLS and SASL, --kafka-properties or"
                    + " kafka.properties of the application file"));
  }

  /** Returns the topics that cannot be read, with the reason for each; empty if all can be read. */
  public SortedMap<String, String> problems() {
    return records.problems();
  }

  /**
   * Checks whether the broker answers and has the same topics: {@link #poll} cannot tell a broker
   * that is gone from one without new records.
   *
   * @throws IOException if it does not answer, or topics have come or gone
   */
  public void check() throws IOException {
    records.check();
  }

  /**
   * Returns whether all records have been read that existed when the source was opened.
   *
   * @throws IOException if the broker does not answer
   */
  public boolean caughtUp() throws IOException {
    return records.caughtUp();
  }

  /**
   * Waits for new heartbeats.
   *
   * @param longest the longest time to wait
   * @return the heartbeats that arrived, oldest first for each subscriber
   * @throws IOException if the broker refuses, or no readable topic is left
   */
  public List<Heard> poll(Duration longest) throws IOException {
    List<Heard> heard = new ArrayList<>();
    for (TopicRecords.Received each : records.poll(longest)) {
      ConsumerRecord<byte[], byte[]> record = each.record();
      HeartbeatCodec.decode(record.value())
          .filter(it -> hasKey(record, it))
          .ifPresent(it -> heard.add(new Heard(it, record.timestamp(), each.past())));
    }
    return heard;
  }

  /**
   * Returns whether a record's key belongs to its heartbeat. With a wrong key, the record would
   * replace another subscriber's heartbeat on the compacted topic.
   */
  private static boolean hasKey(ConsumerRecord<byte[], byte[]> record, Heartbeat heartbeat) {
    return Arrays.equals(record.key(), heartbeat.key().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    records.close();
  }
}
