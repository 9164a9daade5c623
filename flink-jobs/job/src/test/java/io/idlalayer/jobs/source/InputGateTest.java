package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.topics.InputTopics;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gate on Flink's operator state, under its harness. */
final class InputGateTest {
  @TempDir Path folder;
  private ApplicationSettings settings;

  /** A broker with one partition. */
  private record FakeTopics(String id, long beginning, long end) implements InputTopics {
    private static final long serialVersionUID = 1L;

    @Override
    public Map<String, Facts> look(Set<String> topics) {
      Facts facts = new Facts(id, new TreeMap<>(Map.of(0, new Offsets(beginning, end))));
      return Map.of("t", facts, "app-control", new Facts("c", new TreeMap<>()));
    }
  }

  @BeforeEach
  void read() throws Exception {
    settings =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            """
            name: app
            partitions: 2
            input: {topic: t, format: json, features: [a], label: y, classes: 2}
            """);
  }

  private OneInputStreamOperatorTestHarness<Arrival, Arrival> harness(InputTopics topics)
      throws Exception {
    return new OneInputStreamOperatorTestHarness<>(
        new InputGate(List.of(settings), topics, StartPositions.EARLIEST));
  }

  private Arrival arrival(byte kind, long offset) {
    Arrival arrival = new Arrival();
    arrival.kind = kind;
    arrival.key = EventDecoder.keys(settings).get(1);
    arrival.topic = "t";
    arrival.offset = offset;
    arrival.body = new byte[] {1, 2};
    arrival.length = 2;
    arrival.text = "why";
    return arrival;
  }

  private OperatorSubtaskState readThree() throws Exception {
    try (var harness = harness(new FakeTopics("t1", 0, 3))) {
      harness.open();
      harness.processElement(arrival(Arrival.SAMPLE, 0), 0);
      harness.processElement(arrival(Arrival.MALFORMED, 1), 0);
      harness.processElement(arrival(Arrival.SAMPLE, 2), 0);
      assertThat(harness.extractOutputValues()).hasSize(3);
      assertThat(harness.getSideOutput(InputGate.DEAD_LETTERS))
          .singleElement()
          .satisfies(letter -> assertThat(letter.getValue().event()).containsExactly(1, 2));
      return harness.snapshot(1, 1);
    }
  }

  @Test
  void aRestoredGate_saysWhatRetentionTook_withoutWaitingForARecord() throws Exception {
    try (var harness = harness(new FakeTopics("t1", 10, 20))) {
      harness.initializeState(readThree());
      harness.open();
      harness.setProcessingTime(1);
      Arrival lost = harness.extractOutputValues().get(0);
      assertThat(lost.kind).isEqualTo(Arrival.LOST);
      assertThat(lost.key).isEqualTo(EventDecoder.keys(settings).get(0));
      assertThat(lost.offset).isEqualTo(3);
      assertThat(lost.until).isEqualTo(10);
    }
  }

  @Test
  void aRestoredGate_wakesAllLearners_asTheClockMayHaveBeenSet() throws Exception {
    try (var harness = harness(new FakeTopics("t1", 0, 3))) {
      harness.open();
      harness.setProcessingTime(10_000);
      assertThat(harness.extractOutputValues()).isEmpty();
    }
    try (var harness = harness(new FakeTopics("t1", 0, 3))) {
      harness.initializeState(readThree());
      harness.open();
      harness.setProcessingTime(10_000);
      assertThat(harness.extractOutputValues())
          .allMatch(arrival -> arrival.kind == Arrival.WAKE)
          .extracting(arrival -> arrival.key)
          .containsExactlyElementsOf(EventDecoder.keys(settings));
    }
  }

  @Test
  void aRecordThatComesAgain_isCountedAndNotPassedOn() throws Exception {
    try (var harness = harness(new FakeTopics("t1", 0, 3))) {
      harness.initializeState(readThree());
      harness.open();
      harness.processElement(arrival(Arrival.SAMPLE, 2), 0);
      harness.processElement(arrival(Arrival.MALFORMED, 1), 0);
      harness.processElement(arrival(Arrival.SAMPLE, 3), 0);
      assertThat(harness.extractOutputValues())
          .extracting(arrival -> arrival.kind)
          .containsExactly(Arrival.REREAD, Arrival.REREAD, Arrival.SAMPLE);
      assertThat(harness.getSideOutput(InputGate.DEAD_LETTERS)).isNull();
    }
  }

  /** A broker whose retention has removed more each time that it is asked. */
  private static final class ShrinkingTopics implements InputTopics {
    private static final long serialVersionUID = 1L;
    private final long[] beginnings;
    private final long end;
    private int looks;

    ShrinkingTopics(long end, long... beginnings) {
      this.end = end;
      this.beginnings = beginnings;
    }

    @Override
    public Map<String, Facts> look(Set<String> topics) {
      long beginning = beginnings[Math.min(looks++, beginnings.length - 1)];
      TreeMap<Integer, Offsets> partitions = new TreeMap<>();
      for (int partition = 0; partition < 3; partition++) {
        partitions.put(partition, new Offsets(beginning, end));
      }
      return Map.of("t", new Facts("t1", partitions));
    }
  }

  private Arrival sample(int partition, long offset) {
    Arrival arrival = arrival(Arrival.SAMPLE, offset);
    arrival.topicPartition = partition;
    return arrival;
  }

  @Test
  void partitionsThatJumpAtTheSameTime_areAllSaid_withOneQuestion() throws Exception {
    ShrinkingTopics topics = new ShrinkingTopics(90, 0, 50);
    try (var harness = harness(topics)) {
      harness.open();
      for (int partition = 0; partition < 3; partition++) {
        harness.processElement(sample(partition, 0), 0);
      }
      harness.processElement(sample(0, 50), 0);
      for (long offset = 51; offset < 90; offset++) {
        harness.processElement(sample(0, offset), 0);
      }
      harness.processElement(sample(1, 50), 0);
      harness.processElement(sample(2, 60), 0);
      assertThat(topics.looks).isEqualTo(2);
      assertThat(harness.extractOutputValues())
          .filteredOn(arrival -> arrival.kind == Arrival.LOST)
          .filteredOn(arrival -> arrival.key.equals(EventDecoder.keys(settings).get(0)))
          .extracting(arrival -> arrival.topicPartition, arrival -> arrival.offset)
          .containsExactly(tuple(0, 1L), tuple(1, 1L), tuple(2, 1L));
    }
  }

  @Test
  void aLogThatIsCutRightAfterAGap_isSaid() throws Exception {
    InputTopics topics =
        new InputTopics() {
          private static final long serialVersionUID = 1L;
          private final long[] ends = {90, 90, 5};
          private int looks;

          @Override
          public Map<String, Facts> look(Set<String> names) {
            Offsets offsets = new Offsets(0, ends[Math.min(looks++, 2)]);
            return Map.of("t", new Facts("t1", new TreeMap<>(Map.of(0, offsets))));
          }
        };
    try (var harness = harness(topics)) {
      harness.open();
      harness.processElement(sample(0, 0), 0);
      harness.processElement(sample(0, 50), 0);
      harness.processElement(sample(0, 0), 0);
      assertThat(harness.extractOutputValues())
          .filteredOn(arrival -> arrival.kind == Arrival.LOST)
          .isNotEmpty()
          .allSatisfy(arrival -> assertThat(arrival.offset).isEqualTo(5));
    }
  }

  @Test
  void aTopicOfAnotherId_endsTheJobForGood() throws Exception {
    OperatorSubtaskState before = readThree();
    try (var harness = harness(new FakeTopics("t2", 0, 9))) {
      harness.initializeState(before);
      assertThatThrownBy(harness::open)
          .isInstanceOf(SuppressRestartsException.class)
          .rootCause()
          .hasMessageContaining("had the id t1 and now has t2");
    }
  }
}
