package io.idlalayer.middleware.models.kafka;

import io.idlalayer.middleware.models.kafka.bounds.BoundedConsumer;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * Reads Kafka topics that keep the newest record of each sender, without a consumer group: first
 * the newest past records, then new ones as they arrive. A topic that does not exist or may not be
 * read is left out, see {@link #problems}. Confined to one thread.
 */
public final class TopicRecords implements AutoCloseable {
  /** Largest number of past records that are read of each topic partition. */
  static final long MOST_PAST = 20_000;

  private static final Duration CLOSING = Duration.ofSeconds(2);
  private static final int ANSWER_MILLIS = 5_000;
  private static final int FETCH_BYTES = 4 << 20;

  private final Set<String> topics;
  private final Words words;

  /** Topics that cannot be read, each with the reason. */
  private final SortedMap<String, String> problems = new TreeMap<>();

  private final Set<String> unreadable = new HashSet<>();

  private final Consumer<byte[], byte[]> consumer;
  private final Map<TopicPartition, Long> began;

  /**
   * How messages name what is read.
   *
   * @param records the records, such as "heartbeats"
   * @param absence what follows if there is no topic, such as "no subscriber reports itself"
   * @param servers the Kafka servers
   * @param remedy what a user should check if the servers refuse
   */
  public record Words(String records, String absence, String servers, String remedy) {}

  /**
   * A record.
   *
   * @param past whether it was there before the topics were opened
   */
  public record Received(ConsumerRecord<byte[], byte[]> record, boolean past) {}

  /**
   * Connects to the broker, and waits for its answer: 5 s at most.
   *
   * @param clientProperties Kafka client properties, {@code bootstrap.servers} among them, and what
   *     TLS and SASL need
   * @param topics topics to read; those that do not exist, or that this client may not read, are
   *     left out
   * @throws IOException if none of the topics is left, or no broker answers, or it refuses
   */
  public TopicRecords(Map<String, ?> clientProperties, Collection<String> topics, Words words)
      throws IOException {
    this(connected(clientProperties, words), topics, words);
  }

  /**
   * Begins to read with a consumer, which is closed with these records, also after an exception.
   *
   * @throws IOException if none of the topics is left, or no broker answers, or it refuses
   */
  public TopicRecords(Consumer<byte[], byte[]> consumer, Collection<String> topics, Words words)
      throws IOException {
    this.consumer = consumer;
    this.topics = Set.copyOf(topics);
    this.words = words;
    boolean done = false;
    try {
      Set<TopicPartition> partitions = partitions();
      requireSome(partitions);
      consumer.assign(partitions);
      began = consumer.endOffsets(partitions);
      consumer
          .beginningOffsets(partitions)
          .forEach(
              (partition, first) ->
                  consumer.seek(partition, Math.max(first, end(partition) - MOST_PAST)));
      done = true;
    } catch (KafkaException refused) {
      throw explained(refused);
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private long end(TopicPartition partition) {
    return began.getOrDefault(partition, 0L);
  }

  private void requireSome(Collection<TopicPartition> partitions) throws IOException {
    if (partitions.isEmpty()) {
      throw new IOException(String.join("; ", new LinkedHashSet<>(problems.values())));
    }
  }

  private static Consumer<byte[], byte[]> connected(Map<String, ?> properties, Words words)
      throws IOException {
    try {
      return new BoundedConsumer(properties(properties), UnpackLimits.OWN_TOPICS);
    } catch (KafkaException refused) {
      throw explained(words, refused);
    }
  }

  private IOException explained(KafkaException refused) {
    return explained(words, refused);
  }

  private static IOException explained(Words words, KafkaException refused) {
    return new IOException(
        "%s cannot be read from the Kafka at %s: %s; %s"
            .formatted(
                words.records(), words.servers(), KafkaReasons.text(refused), words.remedy()),
        refused);
  }

  private static String denied(String topic) {
    return "topic %s may not be read: grant the rights to read and to describe it".formatted(topic);
  }

  private static Map<String, Object> properties(Map<String, ?> given) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    properties.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    properties.putAll(given);
    properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return properties;
  }

  private Set<TopicPartition> partitions() {
    Set<TopicPartition> found = new HashSet<>();
    for (String topic : topics) {
      try {
        @Nullable List<PartitionInfo> infos = consumer.partitionsFor(topic);
        if (infos == null || infos.isEmpty()) {
          problems.put(topic, "there is no topic %s, so %s".formatted(topic, words.absence()));
        } else {
          infos.forEach(info -> found.add(new TopicPartition(info.topic(), info.partition())));
        }
      } catch (TopicAuthorizationException refused) {
        problems.put(topic, denied(topic));
      }
    }
    return found;
  }

  /** Returns the topics that cannot be read, with the reason for each; empty if all can be read. */
  public SortedMap<String, String> problems() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(problems));
  }

  /**
   * Checks whether the broker answers and has the same topics: {@link #poll} cannot tell a broker
   * that is gone from one without new records.
   *
   * @throws IOException if it does not answer, or topics have come or gone
   */
  public void check() throws IOException {
    try {
      Set<TopicPartition> now = partitions();
      // One that may be described and not read is there all the time.
      now.removeIf(each -> unreadable.contains(each.topic()));
      if (!now.equals(consumer.assignment())) {
        throw new IOException("the topics of %s have changed".formatted(words.records()));
      }
      // The client knows the partitions without asking; this it asks.
      consumer.endOffsets(now);
    } catch (KafkaException refused) {
      throw explained(refused);
    }
  }

  /**
   * Returns whether all records have been read that existed when the topics were opened.
   *
   * @throws IOException if the broker does not answer
   */
  public boolean caughtUp() throws IOException {
    try {
      return consumer.assignment().stream().allMatch(each -> consumer.position(each) >= end(each));
    } catch (KafkaException refused) {
      throw explained(refused);
    }
  }

  /**
   * Waits for new records.
   *
   * @param longest the longest time to wait
   * @return the records that arrived, oldest first for each topic partition
   * @throws IOException if the broker refuses, or no readable topic is left
   */
  public List<Received> poll(Duration longest) throws IOException {
    List<Received> received = new ArrayList<>();
    try {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(longest)) {
        boolean past =
            record.offset() < end(new TopicPartition(record.topic(), record.partition()));
        received.add(new Received(record, past));
      }
    } catch (TopicAuthorizationException refused) {
      leaveOut(refused.unauthorizedTopics());
    } catch (KafkaException refused) {
      throw explained(refused);
    }
    return received;
  }

  /** Stops reading topics of which this client may read the description only. */
  private void leaveOut(Set<String> refused) throws IOException {
    refused.forEach(topic -> problems.put(topic, denied(topic)));
    unreadable.addAll(refused);
    Set<TopicPartition> left = new HashSet<>(consumer.assignment());
    left.removeIf(each -> refused.contains(each.topic()));
    requireSome(left);
    consumer.assign(left);
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(CLOSING));
  }
}
