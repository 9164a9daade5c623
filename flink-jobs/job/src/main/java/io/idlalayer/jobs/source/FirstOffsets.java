package io.idlalayer.jobs.source;

import io.idlalayer.jobs.start.StartPositions;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.apache.flink.connector.kafka.source.enumerator.AssignmentStatus;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.SplitAndAssignmentStatus;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/**
 * Tells Flink's source the first offsets to read. {@link TopicPositions} begins with the same
 * offsets, so that {@link InputGate} behind the source takes exactly the records that the source
 * reads. Offsets that a consumer group has committed are never used.
 */
final class FirstOffsets implements OffsetsInitializer {
  private static final long serialVersionUID = 1L;

  private final StartPositions starts;

  FirstOffsets(StartPositions starts) {
    this.starts = starts;
  }

  @Override
  public Map<TopicPartition, Long> getPartitionOffsets(
      Collection<TopicPartition> partitions, PartitionOffsetsRetriever broker) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (TopicPartition each : partitions) {
      offsets.put(
          each, starts.first(each.topic(), each.partition(), KafkaPartitionSplit.EARLIEST_OFFSET));
    }
    return offsets;
  }

  @Override
  @SuppressWarnings("deprecation") // Flink's interface has this class of Kafka.
  public OffsetResetStrategy getAutoOffsetResetStrategy() {
    return OffsetResetStrategy.EARLIEST;
  }

  /**
   * Returns the restored state of a source together with the partitions of topics that the state
   * does not have. Such topics belong to an application that was added to the job. Without this,
   * Flink would read them from their beginning.
   */
  KafkaSourceEnumState added(KafkaSourceEnumState restored) {
    Set<SplitAndAssignmentStatus> splits = new HashSet<>(restored.splits());
    Set<String> known = new HashSet<>();
    splits.forEach(each -> known.add(each.split().getTopic()));
    for (Map.Entry<String, SortedMap<Integer, Long>> topic : starts.byTopic().entrySet()) {
      if (!known.contains(topic.getKey())) {
        topic
            .getValue()
            .forEach(
                (partition, offset) ->
                    splits.add(
                        new SplitAndAssignmentStatus(
                            new KafkaPartitionSplit(
                                new TopicPartition(topic.getKey(), partition), offset),
                            AssignmentStatus.UNASSIGNED)));
      }
    }
    return new KafkaSourceEnumState(splits, restored.initialDiscoveryFinished());
  }
}
