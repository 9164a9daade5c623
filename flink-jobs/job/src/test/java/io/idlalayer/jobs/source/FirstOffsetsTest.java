package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.idlalayer.jobs.start.StartPositions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.connector.kafka.source.enumerator.AssignmentStatus;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.SplitAndAssignmentStatus;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class FirstOffsetsTest {
  private static final StartPositions STARTS =
      new StartPositions(
          new TreeMap<>(
              Map.of("a", new TreeMap<>(Map.of(0, 7L, 1, 0L)), "b", new TreeMap<>(Map.of(0, 3L)))));

  private static SplitAndAssignmentStatus split(String topic, long offset) {
    return new SplitAndAssignmentStatus(
        new KafkaPartitionSplit(new TopicPartition(topic, 0), offset), AssignmentStatus.ASSIGNED);
  }

  @Test
  void partitions_ofAFirstStart_areReadFromTheirStarts() {
    // A broker that is asked for committed offsets would be a defect.
    OffsetsInitializer.PartitionOffsetsRetriever unasked = null;
    assertThat(
            new FirstOffsets(STARTS)
                .getPartitionOffsets(
                    List.of(
                        new TopicPartition("a", 0),
                        new TopicPartition("a", 2),
                        new TopicPartition("control", 0)),
                    unasked))
        .containsOnly(
            entry(new TopicPartition("a", 0), 7L),
            entry(new TopicPartition("a", 2), 0L),
            entry(new TopicPartition("control", 0), KafkaPartitionSplit.EARLIEST_OFFSET));
  }

  @Test
  void state_ofAnotherApplication_getsThePartitionsOfTheAddedOne() {
    KafkaSourceEnumState before = new KafkaSourceEnumState(Set.of(split("a", 40)), true);
    KafkaSourceEnumState after = new FirstOffsets(STARTS).added(before);
    assertThat(after.initialDiscoveryFinished()).isTrue();
    assertThat(after.assignedSplits())
        .containsExactly(new KafkaPartitionSplit(new TopicPartition("a", 0), 40));
    assertThat(after.unassignedSplits())
        .containsExactly(new KafkaPartitionSplit(new TopicPartition("b", 0), 3));
  }
}
