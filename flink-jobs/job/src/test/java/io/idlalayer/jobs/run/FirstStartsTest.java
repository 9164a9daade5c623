package io.idlalayer.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.start.FirstStart;
import io.idlalayer.jobs.start.PartitionOffsets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FirstStartsTest {
  @TempDir Path folder;
  private final List<String> asked = new ArrayList<>();

  /** A broker whose topics have one partition with offsets 5 to 9. */
  private final PartitionOffsets broker =
      new PartitionOffsets() {
        @Override
        public SortedMap<Integer, Bounds> bounds(String topic) {
          asked.add(topic);
          return new TreeMap<>(Map.of(0, new Bounds(5, 9, 9)));
        }

        @Override
        public SortedMap<Integer, Long> since(String topic, long epochMillis) {
          return new TreeMap<>();
        }
      };

  private ApplicationSettings application(String name, String start) throws Exception {
    return ApplicationFiles.read(
        folder.resolve(name + ".yaml"),
        "name: %s\ninput: {features: [a], id: i, label: y, classes: 2, labels: {}%s}\n"
            .formatted(name, start));
  }

  private FirstStarts find(
      FirstStarts.Origin origin, Map<String, FirstStart> begun, ApplicationSettings... all)
      throws IOException, InterruptedException {
    return FirstStarts.find(List.of(all), application -> origin, begun, broker);
  }

  @Test
  void start_withoutTheKey_asksNothing() throws Exception {
    FirstStarts none = find(FirstStarts.Origin.NOTHING, Map.of(), application("a", ""));
    assertThat(asked).isEmpty();
    assertThat(none.sentences()).isEmpty();
    assertThat(none.notes()).isEmpty();
  }

  @Test
  void start_fromNothing_saysWhere() throws Exception {
    FirstStarts found =
        find(FirstStarts.Origin.NOTHING, Map.of(), application("a", ", start: latest"));
    assertThat(found.sentences())
        .containsExactly(
            "a begins at input.start (latest): a-labels-0 from offset 9, a-samples-0 from offset"
                + " 9");
    assertThat(found.positions().first("a-samples", 0, 0)).isEqualTo(9);
    assertThat(found.notes().get("a").positions()).isEqualTo(found.positions());
  }

  @Test
  void start_fromState_isNotUsedEvenIfTheTopicHasNoSuchOffset() throws Exception {
    FirstStarts found =
        find(FirstStarts.Origin.STATE, Map.of(), application("a", ", start: {offsets: {0: 1}}"));
    assertThat(asked).isEmpty();
    assertThat(found.positions().byTopic()).isEmpty();
    assertThat(found.sentences())
        .containsExactly(
            "a continues from its state, so input.start (offsets {a-samples-0: 1}, labels earliest) is not"
                + " used");
  }

  @Test
  void start_thatCannotBe_refusesAllApplicationsAtOnce() throws Exception {
    ApplicationSettings low = application("a", ", start: {offsets: {0: 1}}");
    ApplicationSettings high = application("b", ", start: {offsets: {0: 10}}");
    assertThatThrownBy(() -> find(FirstStarts.Origin.NOTHING, Map.of(), low, high))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a: input.start.offsets: 1 is below 5")
        .hasMessageContaining("; b: input.start.offsets: 10 is above 9");
    assertThat(find(FirstStarts.Origin.UNKNOWN, Map.of(), low).sentences())
        .anyMatch(text -> text.startsWith("warning: if Flink finds no state of a"))
        .anyMatch(text -> text.endsWith(", unless Flink finds a state of it"));
  }

  @Test
  void start_afterARunWithoutCheckpoint_isTheSameUnlessTheKeyChanged() throws Exception {
    ApplicationSettings latest = application("a", ", start: latest");
    Map<String, FirstStart> begun =
        find(FirstStarts.Origin.NOTHING, Map.of(), application("a", ", start: latest")).notes();
    FirstStart earlier = begun.get("a");
    asked.clear();
    FirstStarts again = find(FirstStarts.Origin.NOTHING, Map.of("a", earlier), latest);
    assertThat(asked).as("the broker may have more by now").isEmpty();
    assertThat(again.positions()).isEqualTo(earlier.positions());
    assertThat(again.notes()).containsEntry("a", earlier);
    assertThat(again.sentences())
        .singleElement()
        .asString()
        .startsWith("a begins where an earlier run, which had no checkpoint, began (latest)");
    find(
        FirstStarts.Origin.NOTHING,
        Map.of("a", earlier),
        application("a", ", start: {offsets: {0: 7}}"));
    assertThat(asked).containsExactly("a-samples");
  }
}
