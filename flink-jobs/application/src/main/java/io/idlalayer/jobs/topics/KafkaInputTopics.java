package io.idlalayer.jobs.topics;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Reads the facts about topics from a Kafka broker. Only the admin client retries, a bounded number
 * of times.
 */
public final class KafkaInputTopics implements InputTopics {
  private static final long serialVersionUID = 1L;
  private static final long WAIT_SECONDS = 30;

  private final ApplicationSettings.Kafka kafka;
  private final String servers;

  public KafkaInputTopics(ApplicationSettings.Kafka kafka, String servers) {
    this.kafka = kafka;
    this.servers = servers;
  }

  @Override
  public Map<String, Facts> look(Set<String> topics) throws IOException, InterruptedException {
    try (Admin admin = Admin.create(KafkaClients.admin(kafka, servers))) {
      Map<String, TopicDescription> found = new HashMap<>();
      for (Map.Entry<String, KafkaFuture<TopicDescription>> asked :
          admin.describeTopics(topics).topicNameValues().entrySet()) {
        try {
          found.put(asked.getKey(), asked.getValue().get(WAIT_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException refused) {
          if (!(refused.getCause() instanceof UnknownTopicOrPartitionException)) {
            throw refused;
          }
        }
      }
      Map<TopicPartition, OffsetSpec> earliest = new HashMap<>();
      Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
      found.forEach(
          (topic, description) ->
              description
                  .partitions()
                  .forEach(
                      info -> {
                        TopicPartition partition = new TopicPartition(topic, info.partition());
                        earliest.put(partition, OffsetSpec.earliest());
                        latest.put(partition, OffsetSpec.latest());
                      }));
      var beginnings = admin.listOffsets(earliest).all().get(WAIT_SECONDS, TimeUnit.SECONDS);
      var ends = admin.listOffsets(latest).all().get(WAIT_SECONDS, TimeUnit.SECONDS);
      Map<String, Facts> facts = new HashMap<>();
      found.forEach(
          (topic, description) -> {
            SortedMap<Integer, Offsets> partitions = new TreeMap<>();
            description
                .partitions()
                .forEach(
                    info -> {
                      TopicPartition partition = new TopicPartition(topic, info.partition());
                      partitions.put(
                          info.partition(),
                          new Offsets(offset(beginnings, partition), offset(ends, partition)));
                    });
            facts.put(topic, new Facts(description.topicId().toString(), partitions));
          });
      return facts;
    } catch (ExecutionException | TimeoutException failed) {
      throw new IOException(
          "cannot ask %s about topics %s: %s"
              .formatted(servers, topics, failed.getCause() == null ? failed : failed.getCause()),
          failed);
    }
  }

  private static long offset(
      Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> answers,
      TopicPartition partition) {
    ListOffsetsResult.ListOffsetsResultInfo answer = answers.get(partition);
    return answer == null ? 0 : Math.max(0, answer.offset());
  }
}
