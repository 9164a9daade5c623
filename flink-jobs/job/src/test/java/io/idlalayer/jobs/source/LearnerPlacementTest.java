package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.LearnerKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;

final class LearnerPlacementTest {
  @Provide
  static Arbitrary<String> names() {
    return Arbitraries.strings()
        .withCharRange('a', 'z')
        .withCharRange('A', 'Z')
        .withCharRange('0', '9')
        .withChars("._-")
        .ofMinLength(1)
        .ofMaxLength(100);
  }

  private static int[] load(List<String> keys, int subtasks) {
    int[] load = new int[subtasks];
    for (String key : keys) {
      load[
          KeyGroupRangeAssignment.assignKeyToParallelOperator(
              key, LearnerPlacement.KEY_GROUPS, subtasks)]++;
    }
    return load;
  }

  @Property(tries = 300)
  void asManySubtasksAsPartitions_eachHasOne(
      @ForAll("names") String name, @ForAll @IntRange(min = 1, max = 128) int partitions) {
    assertThat(load(LearnerPlacement.keys(name, partitions), partitions)).containsOnly(1);
  }

  @Property(tries = 3000)
  void otherParallelism_isEvenButForRounding(
      @ForAll("names") String name,
      @ForAll @IntRange(min = 1, max = 128) int partitions,
      @ForAll @IntRange(min = 1, max = 128) int subtasks) {
    double mean = (double) partitions / subtasks;
    assertThat(IntStream.of(load(LearnerPlacement.keys(name, partitions), subtasks)))
        .allMatch(learners -> learners > mean - 2 && learners < mean + 2);
  }

  @Property(tries = 100)
  void keys_nameTheirLearners(
      @ForAll("names") String name, @ForAll @IntRange(min = 1, max = 64) int partitions) {
    List<String> keys = LearnerPlacement.keys(name, partitions);
    assertThat(new HashSet<>(keys)).hasSize(partitions);
    for (int i = 0; i < partitions; i++) {
      assertThat(LearnerKey.parse(keys.get(i))).isEqualTo(new LearnerKey(name, i));
      assertThat(keys.get(i)).startsWith(name + "/" + i + "~");
      assertThat(LearnerKey.parse(new LearnerKey(name, i).text()))
          .isEqualTo(new LearnerKey(name, i));
    }
  }

  @Test
  void keys_neverChange_sinceStateIsFoundByThem() {
    assertThat(LearnerPlacement.keys("clicks", 3))
        .containsExactly("clicks/0~88", "clicks/1~402", "clicks/2~206");
  }

  @Test
  void names_doNotAllBeginAtTheFirstSubtask() {
    int[] first = new int[8];
    for (int i = 0; i < 800; i++) {
      first[load8(LearnerPlacement.keys("app-" + i, 1).get(0))]++;
    }
    assertThat(first).doesNotContain(0);
    assertThat(IntStream.of(first).max().orElseThrow()).isLessThan(200);
  }

  private static int load8(String key) {
    return KeyGroupRangeAssignment.assignKeyToParallelOperator(key, LearnerPlacement.KEY_GROUPS, 8);
  }

  @Test
  void parallelism_leavesNoSubtaskIdleThatHelpsNobody() {
    assertThat(LearnerPlacement.parallelism(LearnerPlacement.keys("a", 8), 16)).isEqualTo(8);
    assertThat(LearnerPlacement.parallelism(LearnerPlacement.keys("a", 8), 4)).isEqualTo(4);
    assertThat(LearnerPlacement.parallelism(LearnerPlacement.keys("a", 1), 4)).isEqualTo(1);
    for (int round = 0; round < 50; round++) {
      List<String> keys = new ArrayList<>();
      for (int app = 0; app < 4; app++) {
        keys.addAll(LearnerPlacement.keys("app-" + round + "-" + app, 1 + app));
      }
      int parallelism = LearnerPlacement.parallelism(keys, 8);
      int most = LearnerPlacement.most(keys, parallelism);
      for (int subtasks = 1; subtasks <= 8; subtasks++) {
        assertThat(LearnerPlacement.most(keys, subtasks)).isGreaterThanOrEqualTo(most);
      }
    }
  }

  @Test
  void partitionsBeyondTheKeyGroups_areRefused() {
    assertThatThrownBy(() -> LearnerPlacement.keys("a", 129))
        .hasMessage("129 partitions of a: the number must be between 1 and 128");
    assertThatThrownBy(() -> LearnerPlacement.keys("a", 0)).hasMessageContaining("between");
  }
}
