package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.topics.InputTopics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class TopicPositionsTest {
  private static final List<TopicPositions.Role> ROLES =
      List.of(
          new TopicPositions.Role("events", "app", TopicPositions.Use.EVENTS),
          new TopicPositions.Role("app-control", "app", TopicPositions.Use.CONTROL));

  private static TopicPositions positions() {
    return new TopicPositions(ROLES, StartPositions.EARLIEST);
  }

  private static InputTopics.Facts facts(String id, long... beginningsAndEnds) {
    TreeMap<Integer, InputTopics.Offsets> partitions = new TreeMap<>();
    for (int i = 0; i < beginningsAndEnds.length; i += 2) {
      partitions.put(
          i / 2, new InputTopics.Offsets(beginningsAndEnds[i], beginningsAndEnds[i + 1]));
    }
    return new InputTopics.Facts(id, partitions);
  }

  private static Map<String, InputTopics.Facts> running(InputTopics.Facts events) {
    return Map.of("events", events, "app-control", facts("c", 0, 0));
  }

  private static Arrival arrival(int partition, long offset) {
    Arrival arrival = new Arrival();
    arrival.topic = "events";
    arrival.topicPartition = partition;
    arrival.offset = offset;
    return arrival;
  }

  private static Arrival sent(long offset, long input, long number) {
    Arrival arrival = arrival(0, offset);
    arrival.input = input;
    arrival.inputNumber = number;
    return arrival;
  }

  /** What the job has after reading offsets 0 to {@code next} - 1 of partition 0. */
  private static byte[] readUpTo(long next) {
    TopicPositions positions = positions();
    positions.open(running(facts("t1", 0, next)));
    for (long offset = 0; offset < next; offset++) {
      positions.admit(arrival(0, offset));
    }
    return positions.snapshot();
  }

  private static TopicPositions restored(byte[]... states) {
    TopicPositions positions = positions();
    for (byte[] state : states) {
      positions.restore(state);
    }
    return positions;
  }

  @Test
  void aTopicThatWasCreatedAgain_isRefusedWithBothIds() {
    assertThatThrownBy(() -> restored(readUpTo(8)).open(running(facts("t2", 0, 9))))
        .isInstanceOf(InputChangedException.class)
        .hasMessageContaining("input.topic of app: topic events had the id t1 and now has t2")
        .hasMessageContaining("--start-over");
  }

  @Test
  void aTopicThatIsGone_orAnotherOne_isRefused() {
    assertThatThrownBy(() -> restored(readUpTo(8)).open(Map.of()))
        .hasMessageContaining("events does not exist any more; its id was t1");
    TopicPositions renamed =
        new TopicPositions(
            List.of(new TopicPositions.Role("others", "app", TopicPositions.Use.EVENTS)),
            StartPositions.EARLIEST);
    renamed.restore(readUpTo(8));
    assertThatThrownBy(() -> renamed.open(Map.of("others", facts("t9", 0, 4))))
        .hasMessageContaining("input.topic of app: was events and is now others");
  }

  private static TopicPositions ofLabels(String topic) {
    TopicPositions positions =
        new TopicPositions(
            List.of(
                new TopicPositions.Role("events", "app", TopicPositions.Use.EVENTS),
                new TopicPositions.Role(topic, "app", TopicPositions.Use.LABELS)),
            StartPositions.EARLIEST);
    return positions;
  }

  @Test
  void aTopicOfLabels_hasAnIdentityToo() {
    Map<String, InputTopics.Facts> both =
        Map.of("events", facts("t1", 0, 8), "labels", facts("l1", 2, 8));
    TopicPositions added = ofLabels("labels");
    added.restore(readUpTo(8));
    assertThat(added.open(both)).as("a topic that is read for the first time").isEmpty();
    assertThat(added.next().get("labels")).containsEntry(0, 2L);

    TopicPositions again = ofLabels("labels");
    again.restore(added.snapshot());
    assertThat(again.open(Map.of("events", facts("t1", 0, 8), "labels", facts("l1", 5, 8))))
        .singleElement()
        .satisfies(lost -> assertThat(lost.topic()).isEqualTo("labels"));
    TopicPositions renamed = ofLabels("others");
    renamed.restore(added.snapshot());
    assertThatThrownBy(
            () -> renamed.open(Map.of("events", facts("t1", 0, 8), "others", facts("o", 0, 0))))
        .hasMessageContaining("input.labels.topic of app: was labels and is now others");
    TopicPositions without = positions();
    without.restore(added.snapshot());
    assertThatThrownBy(() -> without.open(running(facts("t1", 0, 8))))
        .hasMessageContaining(
            "input.labels.topic of app: was labels, and no topic of labels is named now");
    TopicPositions replaced = ofLabels("labels");
    replaced.restore(added.snapshot());
    assertThatThrownBy(
            () -> replaced.open(Map.of("events", facts("t1", 0, 8), "labels", facts("l2", 0, 8))))
        .hasMessageContaining(
            "input.labels.topic of app: topic labels had the id l1 and now has l2");
  }

  @Test
  void whatRetentionTookBeforeItWasRead_isALostRange() {
    List<TopicPositions.Lost> lost = restored(readUpTo(8)).open(running(facts("t1", 3_508, 9_000)));
    assertThat(lost)
        .singleElement()
        .satisfies(
            range -> {
              assertThat(range.from()).isEqualTo(8);
              assertThat(range.until()).isEqualTo(3_508);
              assertThat(range.why()).contains("retention");
            });
    assertThat(restored(readUpTo(8)).open(running(facts("t1", 8, 9_000)))).isEmpty();
  }

  @Test
  void aTopicThatIsReadForTheFirstTime_lostNothing() {
    assertThat(positions().open(running(facts("t1", 500, 900)))).isEmpty();
  }

  private static TopicPositions ofTopics(String... names) {
    return new TopicPositions(
        Stream.of(names)
            .map(name -> new TopicPositions.Role(name, "app", TopicPositions.Use.EVENTS))
            .toList(),
        StartPositions.EARLIEST);
  }

  @Test
  void severalTopics_haveTheirOwnPositions_andNoneIsLeftOutUnsaid() {
    Map<String, InputTopics.Facts> three =
        Map.of("a", facts("t1", 0, 9), "b", facts("t2", 0, 9), "c", facts("t3", 4, 9));
    TopicPositions both = ofTopics("a", "b");
    both.open(three);
    Arrival ofB = arrival(0, 5);
    ofB.topic = "b";
    both.admit(ofB);
    assertThat(both.next().get("a")).containsEntry(0, 0L);
    assertThat(both.next().get("b")).containsEntry(0, 6L);

    TopicPositions more = ofTopics("a", "b", "c");
    more.restore(both.snapshot());
    assertThat(more.open(three)).as("a topic that was added").isEmpty();
    assertThat(more.next().get("c")).containsEntry(0, 4L);
    TopicPositions fewer = ofTopics("a", "c");
    fewer.restore(both.snapshot());
    assertThatThrownBy(() -> fewer.open(three))
        .hasMessageContaining(
            "input.topics or input.topic-pattern of app: b was read, and now input comes from a, c"
                + " only");
    TopicPositions one = ofTopics("a");
    one.restore(both.snapshot());
    assertThatThrownBy(() -> one.open(three))
        .hasMessageContaining(
            "input.topics or input.topic-pattern of app: b was read, and now input comes from a only");
  }

  private static StartPositions starts(long... offsets) {
    TreeMap<Integer, Long> partitions = new TreeMap<>();
    for (int i = 0; i < offsets.length; i++) {
      partitions.put(i, offsets[i]);
    }
    return new StartPositions(new TreeMap<>(Map.of("events", partitions)));
  }

  @Test
  void aTopicThatIsReadForTheFirstTime_beginsAtItsStart() {
    TopicPositions begun = new TopicPositions(ROLES, starts(7, 9));
    assertThat(begun.open(running(facts("t1", 2, 20, 0, 9, 0, 3)))).isEmpty();
    assertThat(begun.next().get("events"))
        .containsExactly(entry(0, 7L), entry(1, 9L), entry(2, 0L));
    assertThat(begun.admit(arrival(0, 6))).isEqualTo(TopicPositions.Verdict.REREAD);
    assertThat(begun.admit(arrival(0, 7))).isEqualTo(TopicPositions.Verdict.NEW);
    assertThat(begun.admit(arrival(2, 0))).isEqualTo(TopicPositions.Verdict.NEW);
  }

  @Test
  void aStateThatHasTheTopic_winsOverAnyStart() {
    TopicPositions restored = new TopicPositions(ROLES, starts(100, 100));
    restored.restore(readUpTo(8));
    assertThat(restored.open(running(facts("t1", 0, 200, 0, 200)))).isEmpty();
    assertThat(restored.next().get("events")).containsExactly(entry(0, 8L), entry(1, 0L));
  }

  @Test
  void whatRetentionTookBehindTheStart_isALostRange() {
    TopicPositions begun = new TopicPositions(ROLES, starts(7));
    assertThat(begun.open(running(facts("t1", 12, 20))))
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.from()).isEqualTo(7);
              assertThat(lost.until()).isEqualTo(12);
            });
  }

  @Test
  void aPartitionThatIsAddedToARunningJob_losesNothingUnsaid() {
    TopicPositions positions = new TopicPositions(ROLES, starts(3));
    positions.open(running(facts("t1", 0, 4)));
    Arrival late = arrival(1, 40);
    assertThat(positions.jumps(late)).as("its first records are not there").isTrue();
    TopicPositions.Lost lost =
        positions.compare("events", 1, new InputTopics.Offsets(40, 41), late.offset);
    assertThat(lost).isNotNull();
    assertThat(lost.from()).isZero();
    assertThat(lost.until()).isEqualTo(40);
    assertThat(positions.jumps(arrival(2, 0))).isFalse();
    assertThat(positions.admit(arrival(2, 0))).isEqualTo(TopicPositions.Verdict.NEW);
  }

  @Test
  void aPartitionThatWasAdded_isInputFromItsFirstOffset() {
    TopicPositions grown = restored(readUpTo(8));
    assertThat(grown.open(running(facts("t1", 0, 8, 5, 9))))
        .singleElement()
        .satisfies(lost -> assertThat(lost.until() - lost.from()).isEqualTo(5));
    assertThat(grown.admit(arrival(1, 5))).isEqualTo(TopicPositions.Verdict.NEW);
    assertThat(grown.admit(arrival(2, 0))).isEqualTo(TopicPositions.Verdict.NEW);
  }

  @Test
  void aLogThatWasCut_namesItsEndAndIsNotLearnedTwice() {
    TopicPositions cut = restored(readUpTo(8));
    assertThat(cut.open(running(facts("t1", 0, 5))))
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.from()).isEqualTo(5);
              assertThat(lost.until()).isEqualTo(8);
            });
    // The consumer falls back to the beginning.
    for (long offset = 0; offset < 5; offset++) {
      assertThat(cut.admit(arrival(0, offset))).isEqualTo(TopicPositions.Verdict.REREAD);
    }
    assertThat(cut.admit(arrival(0, 5))).isEqualTo(TopicPositions.Verdict.NEW);
  }

  @Test
  void afterACut_theLowerOffsetIsTheLaterOne() {
    TopicPositions cut = restored(readUpTo(8));
    cut.open(running(facts("t1", 0, 5)));
    cut.admit(arrival(0, 5));
    TopicPositions again = restored(readUpTo(8), cut.snapshot());
    again.open(running(facts("t1", 0, 9)));
    assertThat(again.admit(arrival(0, 6))).isEqualTo(TopicPositions.Verdict.NEW);
  }

  @Test
  void ofTwoStates_theLaterPositionCounts() {
    TopicPositions merged = restored(readUpTo(8), readUpTo(3));
    merged.open(running(facts("t1", 0, 8)));
    assertThat(merged.admit(arrival(0, 7))).isEqualTo(TopicPositions.Verdict.REREAD);
  }

  @Test
  void aRecordForSeveralLearners_isOneRecord() {
    TopicPositions positions = positions();
    positions.open(running(facts("t1", 0, 8)));
    assertThat(positions.admit(arrival(0, 4))).isEqualTo(TopicPositions.Verdict.NEW);
    assertThat(positions.admit(arrival(0, 4))).isEqualTo(TopicPositions.Verdict.NEW);
    assertThat(positions.admit(arrival(0, 2))).isEqualTo(TopicPositions.Verdict.REREAD);
    assertThat(positions.admit(arrival(0, 2))).isEqualTo(TopicPositions.Verdict.REREAD_COPY);
    assertThat(positions.admit(arrival(0, 4))).isEqualTo(TopicPositions.Verdict.REREAD);
  }

  @Test
  void aRecordThatWasSentTwice_isLearnedOnce_withTwoInputsInterleaved() {
    TopicPositions positions = positions();
    positions.open(running(facts("t1", 0, 99)));
    long offset = 0;
    for (long number = 1; number <= 3; number++) {
      assertThat(positions.admit(sent(offset++, 70, number))).isEqualTo(TopicPositions.Verdict.NEW);
      assertThat(positions.admit(sent(offset++, 71, number))).isEqualTo(TopicPositions.Verdict.NEW);
    }
    TopicPositions restored = restored(positions.snapshot());
    restored.open(running(facts("t1", 0, 99)));
    assertThat(restored.admit(sent(offset++, 70, 3))).isEqualTo(TopicPositions.Verdict.REREAD);
    assertThat(restored.admit(sent(offset++, 71, 4))).isEqualTo(TopicPositions.Verdict.NEW);
    assertThat(restored.admit(sent(offset, 72, 1))).isEqualTo(TopicPositions.Verdict.NEW);
  }

  @Test
  void whatRetentionTakesWhileTheJobRuns_isFoundByTheJump() {
    TopicPositions positions = positions();
    positions.open(running(facts("t1", 0, 4)));
    positions.admit(arrival(0, 3));
    assertThat(positions.jumps(arrival(0, 5))).as("the end of a transaction").isFalse();
    Arrival next = arrival(0, 90);
    assertThat(positions.jumps(next)).isTrue();
    TopicPositions.Lost lost =
        positions.compare("events", 0, new InputTopics.Offsets(90, 99), next.offset);
    assertThat(lost).isNotNull();
    assertThat(lost.from()).isEqualTo(4);
    assertThat(lost.until()).isEqualTo(90);
    assertThat(positions.compare("events", 0, new InputTopics.Offsets(0, 99), 95))
        .as("an aborted transaction")
        .isNull();
  }

  @Test
  void aControlTopicThatIsNew_isReadFromItsBeginning() {
    TopicPositions positions = positions();
    positions.open(Map.of("events", facts("t1", 0, 0), "app-control", facts("c1", 0, 9)));
    Arrival request = arrival(0, 8);
    request.topic = "app-control";
    positions.admit(request);
    TopicPositions restored = restored(positions.snapshot());
    assertThat(restored.open(Map.of("events", facts("t1", 0, 0), "app-control", facts("c2", 0, 1))))
        .isEmpty();
    request.offset = 0;
    assertThat(restored.admit(request)).isEqualTo(TopicPositions.Verdict.NEW);
  }
}
