package io.idlalayer.jobs.topics;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.start.PartitionOffsets;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/** Asks a Kafka broker for offsets. Only the admin client retries, a bounded number of times. */
public final class KafkaPartitionOffsets implements PartitionOffsets {
  private static final long WAIT_SECONDS = 30;

  private final ApplicationSettings.Kafka kafka;
  private final String servers;

  public KafkaPartitionOffsets(ApplicationSettings.Kafka kafka, String servers) {
    this.kafka = kafka;
    this.servers = servers;
  }

  @Override
  public SortedMap<Integer, Bounds> bounds(String topic) throws IOException, InterruptedException {
    return ask(
        topic,
        (admin, partitions) -> {
          IsolationLevel all = IsolationLevel.READ_UNCOMMITTED;
          Map<Integer, Long> beginnings =
              offsets(admin, topic, partitions, OffsetSpec.earliest(), all);
          Map<Integer, Long> readable =
              offsets(admin, topic, partitions, OffsetSpec.latest(), KafkaClients.isolation(kafka));
          Map<Integer, Long> ends = offsets(admin, topic, partitions, OffsetSpec.latest(), all);
          SortedMap<Integer, Bounds> bounds = new TreeMap<>();
          for (int partition : partitions) {
            bounds.put(
                partition,
                new Bounds(
                    beginnings.getOrDefault(partition, 0L),
                    readable.getOrDefault(partition, 0L),
                    ends.getOrDefault(partition, 0L)));
          }
          return bounds;
        });
  }

  @Override
  public SortedMap<Integer, Long> since(String topic, long epochMillis)
      throws IOException, InterruptedException {
    return ask(
        topic,
        (admin, partitions) ->
            offsets(
                admin,
                topic,
                partitions,
                OffsetSpec.forTimestamp(epochMillis),
                KafkaClients.isolation(kafka)));
  }

  /** A question about the partitions of a topic. */
  private interface Question<T> {
    T ask(Admin admin, List<Integer> partitions)
        throws InterruptedException, ExecutionException, TimeoutException;
  }

  private <T> T ask(String topic, Question<T> question) throws IOException, InterruptedException {
    try (Admin admin = Admin.create(KafkaClients.admin(kafka, servers))) {
      Map<String, TopicDescription> described =
          admin.describeTopics(List.of(topic)).allTopicNames().get(WAIT_SECONDS, TimeUnit.SECONDS);
      List<Integer> partitions =
          described.values().stream()
              .flatMap(each -> each.partitions().stream())
              .map(TopicPartitionInfo::partition)
              .toList();
      return question.ask(admin, partitions);
    } catch (ExecutionException | TimeoutException failed) {
      throw new IOException(
          "cannot ask %s for the offsets of topic %s: %s"
              .formatted(servers, topic, failed.getCause() == null ? failed : failed.getCause()),
          failed);
    }
  }

  /** Returns an offset of each partition that has one. */
  private static SortedMap<Integer, Long> offsets(
      Admin admin,
      String topic,
      List<Integer> partitions,
      OffsetSpec asked,
      IsolationLevel isolation)
      throws InterruptedException, ExecutionException, TimeoutException {
    Map<TopicPartition, OffsetSpec> all = new HashMap<>();
    partitions.forEach(partition -> all.put(new TopicPartition(topic, partition), asked));
    SortedMap<Integer, Long> offsets = new TreeMap<>();
    admin
        .listOffsets(all, new ListOffsetsOptions(isolation))
        .all()
        .get(WAIT_SECONDS, TimeUnit.SECONDS)
        .forEach(
            (partition, found) -> {
              if (found.offset() >= 0) {
                offsets.put(partition.partition(), found.offset());
              }
            });
    return offsets;
  }
}
