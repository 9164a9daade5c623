package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.LastingFailureException;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.source.LearnerPlacement;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Learners on several subtasks, as Flink spreads and restores them. */
final class LearnerPlacementFlinkTest {
  private static final int EVENTS = 10;

  @TempDir Path folder;

  private ApplicationSettings application(int partitions) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        partitions: %d
        input: {format: csv, columns: [x, y], features: [x], label: y, classes: 2}
        update: {rule: manual}
        """
            .formatted(partitions));
    return ApplicationFileReader.read(file, name -> null);
  }

  private final class Subtasks {
    final List<String> keys;
    final int parallelism;
    final List<KeyedOneInputStreamOperatorTestHarness<String, Arrival, DecisionEvent>> harnesses =
        new ArrayList<>();

    Subtasks(ApplicationSettings application, int parallelism) throws Exception {
      this.parallelism = parallelism;
      keys = LearnerPlacement.keys(application.name(), application.partitions());
      for (int i = 0; i < parallelism; i++) {
        var harness =
            new KeyedOneInputStreamOperatorTestHarness<>(
                new LearningOperator(
                    new LearningFunction(
                        List.of(application), folder.resolve("models"), folder.resolve("tensors"))),
                arrival -> arrival.key,
                Types.STRING,
                HarnessEnvironment.in(folder, LearnerPlacement.KEY_GROUPS, parallelism, i));
        harness.setStateBackend(new EmbeddedRocksDBStateBackend());
        harnesses.add(harness);
      }
    }

    void open(OperatorSubtaskState from, int fromParallelism) throws Exception {
      for (int i = 0; i < parallelism; i++) {
        if (from != null) {
          harnesses
              .get(i)
              .initializeState(
                  AbstractStreamOperatorTestHarness.repartitionOperatorState(
                      from, LearnerPlacement.KEY_GROUPS, fromParallelism, parallelism, i));
        }
        harnesses.get(i).open();
        // The clock goes on where it was, since timers are kept by their times.
        harnesses.get(i).setProcessingTime(from == null ? 0 : 50_000);
      }
    }

    void send(String key, float x, long offset) throws Exception {
      int subtask =
          KeyGroupRangeAssignment.assignKeyToParallelOperator(
              key, LearnerPlacement.KEY_GROUPS, parallelism);
      Sample sample = Sample.of(new float[] {x}, 1);
      ContentHash hash = ContentHasher.of(sample);
      Arrival arrival = new Arrival();
      arrival.key = key;
      arrival.kind = Arrival.SAMPLE;
      arrival.topic = "app-samples";
      arrival.offset = offset;
      arrival.hashHigh = hash.high();
      arrival.hashLow = hash.low();
      arrival.body = new SampleCodec().encode(sample);
      harnesses.get(subtask).processElement(arrival, 0);
    }

    /** Lets timers ring until the learners have received so many events; what each says. */
    Map<Integer, Long> received(long expected) throws Exception {
      Map<Integer, Long> received = new TreeMap<>();
      Awaitility.await(expected + " received events")
          .pollInSameThread()
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofMinutes(5))
          .until(
              () -> {
                for (var harness : harnesses) {
                  harness.setProcessingTime(harness.getProcessingTime() + 5);
                  for (DecisionEvent event : harness.extractOutputValues()) {
                    received.put(event.partition(), event.status().samples().received());
                  }
                }
                return received.values().stream().mapToLong(Long::longValue).sum() >= expected;
              });
      return received;
    }

    OperatorSubtaskState snapshot() throws Exception {
      List<OperatorSubtaskState> states = new ArrayList<>();
      for (var harness : harnesses) {
        states.add(harness.snapshot(1, 1));
      }
      return AbstractStreamOperatorTestHarness.repackageState(
          states.toArray(OperatorSubtaskState[]::new));
    }

    void close() throws Exception {
      for (var harness : harnesses) {
        harness.close();
      }
    }
  }

  private OperatorSubtaskState learned(ApplicationSettings application, int parallelism)
      throws Exception {
    Subtasks subtasks = new Subtasks(application, parallelism);
    try {
      subtasks.open(null, 0);
      long offset = 0;
      for (String key : subtasks.keys) {
        for (int i = 0; i < EVENTS; i++) {
          subtasks.send(key, (float) offset, offset++);
        }
      }
      assertThat(subtasks.received((long) EVENTS * application.partitions()))
          .hasSize(application.partitions())
          .allSatisfy(this::all);
      if (parallelism == application.partitions()) {
        assertThat(subtasks.harnesses).noneMatch(it -> it.extractOutputValues().isEmpty());
      }
      return subtasks.snapshot();
    } finally {
      subtasks.close();
    }
  }

  private void all(Integer partition, Long received) {
    assertThat(received).as("partition " + partition).isEqualTo(EVENTS);
  }

  @Test
  void state_restoresAtAnotherParallelism_withEverythingStillThere() throws Exception {
    ApplicationSettings application = application(4);
    OperatorSubtaskState state = learned(application, 4);
    for (int parallelism : List.of(1, 3, 8)) {
      Subtasks subtasks = new Subtasks(application, parallelism);
      try {
        subtasks.open(state, 4);
        // What was there is a duplicate, and known before any event comes.
        assertThat(subtasks.received(4L * EVENTS)).hasSize(4).allSatisfy(this::all);
        subtasks.send(subtasks.keys.get(3), 3 * EVENTS, 1_000);
        assertThat(subtasks.received(4L * EVENTS + 1).get(3)).isEqualTo(EVENTS + 1);
        assertThat(
                subtasks.harnesses.stream()
                    .flatMap(it -> it.extractOutputValues().stream())
                    .filter(event -> event.partition() == 3)
                    .reduce((first, last) -> last)
                    .orElseThrow()
                    .status()
                    .samples()
                    .duplicates())
            .isEqualTo(1);
      } finally {
        subtasks.close();
      }
    }
  }

  @Test
  void otherNumberOfPartitions_isRefusedByTheTimersOfOldState_withoutAnyEvent() throws Exception {
    for (int[] change : new int[][] {{2, 1}, {1, 2}}) {
      OperatorSubtaskState state = learned(application(change[0]), 1);
      Subtasks subtasks = new Subtasks(application(change[1]), 1);
      try {
        assertThatThrownBy(
                () -> {
                  subtasks.open(state, 1);
                  subtasks.received(1);
                })
            .hasRootCauseInstanceOf(LastingFailureException.class)
            .rootCause()
            .hasMessageContaining("partitions: %d before, %d now".formatted(change[0], change[1]));
      } finally {
        subtasks.close();
      }
    }
  }
}
