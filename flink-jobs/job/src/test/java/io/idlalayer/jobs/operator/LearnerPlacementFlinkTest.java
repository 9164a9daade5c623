package io.idlalayer.jobs.operator;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.LearnerPlacement;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.function.ToLongFunction;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Learners on several subtasks, as Flink spreads and restores them. */
final class LearnerPlacementFlinkTest {
  private static final int EVENTS = 10;

  @TempDir Path folder;

  /** Where models and tensors are, below the folder. */
  private String run = "run";

  private ApplicationSettings application(int partitions) throws Exception {
    return application(
        """
        name: app
        partitions: %d
        input: {format: csv, columns: [x, y], features: [x], label: y, classes: 2}
        update: {rule: manual}
        """
            .formatted(partitions));
  }

  private ApplicationSettings application(String text) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), text);
  }

  /** Ids get a row when they come for the second time. A filter counts until then. */
  private ApplicationSettings withTables(int partitions) throws Exception {
    return application(
        """
        name: app
        partitions: %d
        input: {format: csv, columns: [id, x, y], features: [x], ids: [id], label: y, classes: 2}
        model: {type: mlp, hidden: [2]}
        embeddings: {dim: 2, admit-after: 2, admission-counter: bloom, expected-ids: 1000}
        memory: {rows: {fast-bytes: 64KiB}}
        selection: {policy: uniform, replay-budget: 5}
        update: {rule: count, count: %d}
        """
            .formatted(partitions, EVENTS));
  }

  private final class Subtasks {
    final List<String> keys;
    final int parallelism;
    final List<LearnerHarness> harnesses = new ArrayList<>();

    Subtasks(ApplicationSettings application, int parallelism) throws Exception {
      this.parallelism = parallelism;
      keys = LearnerPlacement.keys(application.name(), application.partitions());
      for (int i = 0; i < parallelism; i++) {
        harnesses.add(
            new LearnerHarness(
                application,
                folder.resolve(run),
                HarnessEnvironment.in(folder, LearnerPlacement.KEY_GROUPS, parallelism, i)));
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
      send(key, Sample.of(new double[] {x}, 1), offset);
    }

    void send(String key, Sample sample, long offset) throws Exception {
      int subtask =
          KeyGroupRangeAssignment.assignKeyToParallelOperator(
              key, LearnerPlacement.KEY_GROUPS, parallelism);
      harnesses
          .get(subtask)
          .processElement(LearnerHarness.arrival(key, "app-samples", offset, sample), 0);
    }

    /**
     * Fires timers until the learners have received a number of events; returns the number of each
     * learner.
     */
    Map<Integer, Long> received(long expected) throws Exception {
      return counted("received events", expected, status -> status.samples().received());
    }

    /** Fires timers until the learners have trained a number of new samples. */
    void trained(long expected) throws Exception {
      counted("trained samples", expected, Status::trainedNewSamples);
    }

    /** Lets timers ring until the sum of a count of all learners is large enough. */
    Map<Integer, Long> counted(String what, long expected, ToLongFunction<Status> count)
        throws Exception {
      Map<Integer, Long> counts = new TreeMap<>();
      Awaitility.await(expected + " " + what)
          .pollInSameThread()
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofMinutes(5))
          .until(
              () -> {
                for (var harness : harnesses) {
                  harness.setProcessingTime(harness.getProcessingTime() + 5);
                  for (DecisionEvent event : harness.extractOutputValues()) {
                    counts.put(event.partition(), count.applyAsLong(event.status()));
                  }
                }
                return counts.values().stream().mapToLong(Long::longValue).sum() >= expected;
              });
      return counts;
    }

    /** What a learner has said last of its tables. */
    RowUsage tables(int partition) {
      return Objects.requireNonNull(last(partition).status().tables());
    }

    /** What a learner has said last. */
    DecisionEvent last(int partition) {
      return harnesses.stream()
          .flatMap(it -> it.extractOutputValues().stream())
          .filter(event -> event.partition() == partition)
          .reduce((first, last) -> last)
          .orElseThrow();
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
        // What was there is known before any event comes.
        assertThat(subtasks.received(4L * EVENTS)).hasSize(4).allSatisfy(this::all);
        subtasks.send(subtasks.keys.get(3), 3 * EVENTS, 1_000);
        assertThat(subtasks.received(4L * EVENTS + 1).get(3)).isEqualTo(EVENTS + 1);
        assertThat(subtasks.last(3).status().samples().stored()).isEqualTo(EVENTS + 1);
      } finally {
        subtasks.close();
      }
    }
  }

  /** An update of each learner. Ids from 1,000 are of the first one, from 2,000 of the next. */
  private static void train(Subtasks subtasks, int run, IntUnaryOperator idOfEvent)
      throws Exception {
    for (int partition = 0; partition < subtasks.keys.size(); partition++) {
      for (int i = 0; i < EVENTS; i++) {
        // No two samples are equal.
        float x = run * EVENTS + i;
        IdLists ids = IdLists.single(1_000L * (partition + 1) + idOfEvent.applyAsInt(i));
        Sample sample = new Sample("", new double[] {x}, new int[0], ids, i % 2);
        subtasks.send(subtasks.keys.get(partition), sample, (long) run * EVENTS + i);
      }
    }
    subtasks.trained((long) (run + 1) * EVENTS * subtasks.keys.size());
  }

  /** Each learner's filter goes where the learner goes, with its own counts and no others. */
  @ParameterizedTest
  @CsvSource({"4, 1", "4, 3", "1, 4"})
  void tablesWithABloomFilter_restoredAtAnotherParallelism_countOn(int before, int after)
      throws Exception {
    ApplicationSettings application = withTables(4);
    Subtasks first = new Subtasks(application, before);
    OperatorSubtaskState state;
    try {
      first.open(null, 0);
      train(first, 0, i -> i);
      for (int partition = 0; partition < 4; partition++) {
        assertThat(first.tables(partition).rows()).isZero();
      }
      state = first.snapshot();
    } finally {
      first.close();
    }
    Subtasks second = new Subtasks(application, after);
    try {
      second.open(state, before);
      // Four come for the second time; three are new, and three are known to the next learner only.
      train(second, 1, i -> i < 4 ? i : i < 7 ? 500 + i : 1_000 + i);
      for (int partition = 0; partition < 4; partition++) {
        assertThat(second.tables(partition).rows()).as("partition " + partition).isEqualTo(4);
      }
    } finally {
      second.close();
    }
  }

  /**
   * Returns the files of the newest version of each learner, without its manifest, which has times.
   */
  private List<Map<String, String>> published() throws Exception {
    ModelStore store =
        new ModelStore(folder.resolve(run).resolve("models"), InstantSource.system());
    List<Map<String, String>> files = new ArrayList<>();
    for (int partition = 0; partition < 4; partition++) {
      ModelManifest manifest = store.current("app", partition).orElseThrow().manifest();
      assertThat(manifest.version()).isEqualTo(3);
      files.add(manifest.files().stream().collect(toMap(ModelFile::name, ModelFile::sha256)));
    }
    return files;
  }

  /** Three updates of each learner, the last one after a restart at another parallelism. */
  private List<Map<String, String>> publishedAfter(int before, int after) throws Exception {
    run = before + "-" + after;
    ApplicationSettings application = withTables(4);
    IntUnaryOperator ids = i -> i % 6;
    Subtasks first = new Subtasks(application, before);
    OperatorSubtaskState state;
    try {
      first.open(null, 0);
      train(first, 0, ids);
      train(first, 1, ids);
      // A version that is still being published would be published again, under another number.
      first.counted("published versions", 4 * 2, Status::modelVersion);
      state = first.snapshot();
    } finally {
      first.close();
    }
    Subtasks second = new Subtasks(application, after);
    try {
      second.open(state, before);
      train(second, 2, ids);
      second.counted("published versions", 4 * 3, Status::modelVersion);
      for (int partition = 0; partition < 4; partition++) {
        assertThat(second.tables(partition).rows()).as("partition " + partition).isEqualTo(6);
      }
    } finally {
      second.close();
    }
    return published();
  }

  /** Rows and updaters' state go where their learner goes, bit for bit. */
  @Test
  void tables_restoredAtAnotherParallelism_trainOnAsThoseThatStayed() throws Exception {
    List<Map<String, String>> stayed = publishedAfter(4, 4);
    assertThat(stayed.get(0)).containsKeys(ModelManifest.ROWS_FILE, ModelArtifact.NETWORK_FILE);
    for (int[] change : new int[][] {{4, 1}, {4, 3}, {1, 4}, {3, 8}}) {
      assertThat(publishedAfter(change[0], change[1])).as(run).isEqualTo(stayed);
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
