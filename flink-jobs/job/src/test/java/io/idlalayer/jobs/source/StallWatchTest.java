package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.topics.InputTopics;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumerator;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class StallWatchTest {
  private static final long DAY_MILLIS = 86_400_000;
  private static final long NOW_MILLIS = 100 * DAY_MILLIS;

  private final StallWatch watch = new StallWatch();
  private long wallMillis = NOW_MILLIS;

  private static Map<String, InputTopics.Facts> topicWith(long end) {
    return Map.of(
        "events",
        new InputTopics.Facts("id", new TreeMap<>(Map.of(0, new InputTopics.Offsets(0, end)))));
  }

  /** Lets seconds pass until the watch wants to ask. */
  private boolean asksWithin(int seconds) {
    for (int i = 0; i < seconds; i++) {
      wallMillis += 1_000;
      if (watch.look(wallMillis)) {
        return true;
      }
    }
    return false;
  }

  private void setBack(long millis) {
    watch.look(wallMillis);
    wallMillis -= millis;
    watch.look(wallMillis);
  }

  @Test
  void look_clockGoesOn_neverAsks() {
    watch.read("events", 0, 9);
    assertThat(asksWithin(10_000)).isFalse();
    setBack(StallWatch.STEP_MILLIS / 2);
    assertThat(asksWithin(10_000)).as("a time service at work").isFalse();
  }

  @Test
  void stalled_nothingReadSinceTheClockWasSetBack_isSaid() {
    watch.read("events", 0, 942);
    setBack(DAY_MILLIS);
    assertThat(asksWithin(StallWatch.LOOKS)).isTrue();
    assertThat(watch.stalled(topicWith(1_500)))
        .hasValueSatisfying(
            text -> assertThat(text).contains("events-0").contains("offsets 943 to 1499"));
  }

  @Test
  void stalled_theSourceReads_isNothing() {
    watch.read("events", 0, 942);
    setBack(DAY_MILLIS);
    watch.read("events", 0, 943);
    assertThat(asksWithin(StallWatch.LOOKS)).isTrue();
    assertThat(watch.stalled(topicWith(1_500))).isEmpty();
  }

  @Test
  void stalled_recordsComeLater_isSaidThen() {
    watch.read("events", 0, 942);
    setBack(DAY_MILLIS);
    assertThat(asksWithin(StallWatch.LOOKS)).isTrue();
    assertThat(watch.stalled(topicWith(943))).as("all was read").isEmpty();
    assertThat(asksWithin(StallWatch.LOOKS)).isTrue();
    assertThat(watch.stalled(topicWith(944))).isPresent();
  }

  @Test
  void look_clockIsWhereItWas_asksNoMore() {
    watch.read("events", 0, 942);
    setBack(10_000);
    assertThat(asksWithin(8)).isFalse();
    wallMillis += DAY_MILLIS;
    assertThat(asksWithin(10_000)).isFalse();
  }

  @Test
  void stalled_beforeAnythingWasRead_isSaid() {
    watch.expect("events", 0, 300);
    setBack(DAY_MILLIS);
    assertThat(asksWithin(StallWatch.LOOKS)).isTrue();
    assertThat(watch.stalled(topicWith(300))).as("there is nothing to read").isEmpty();
    assertThat(asksWithin(StallWatch.LOOKS)).isTrue();
    assertThat(watch.stalled(topicWith(1_500)))
        .hasValueSatisfying(text -> assertThat(text).contains("offsets 300 to 1499"));
  }

  @Test
  void stalled_whatIsExpectedIsReadElsewhere_isNothingWhileTheSourceReads() {
    watch.expect("events", 0, 300);
    watch.read("other", 0, 5);
    setBack(DAY_MILLIS);
    watch.read("other", 0, 6);
    assertThat(asksWithin(StallWatch.LOOKS)).isTrue();
    assertThat(watch.stalled(topicWith(1_500))).isEmpty();
  }

  @Test
  void reader_isTheSubtaskThatFlinkChooses() throws Exception {
    Method theirs =
        KafkaSourceEnumerator.class.getDeclaredMethod(
            "getSplitOwner", TopicPartition.class, int.class);
    theirs.setAccessible(true);
    for (String topic : List.of("events", "a", "shop-in", "z".repeat(50))) {
      for (int partition = 0; partition < 5; partition++) {
        for (int subtasks = 1; subtasks < 6; subtasks++) {
          assertThat(InputGate.reader(topic, partition, subtasks))
              .isEqualTo(theirs.invoke(null, new TopicPartition(topic, partition), subtasks));
        }
      }
    }
  }

  @Test
  void look_nothingWasRead_hasNothingToAsk() {
    setBack(DAY_MILLIS);
    assertThat(asksWithin(1_000)).isFalse();
  }
}
