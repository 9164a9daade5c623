package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tables in the keyed state of a real RocksDB, with real training: a learner that continues from a
 * snapshot taken during a training has the rows, with their updaters' state, and the network of a
 * learner that was never interrupted, bit for bit.
 */
final class TablesFunctionTest {
  private static final int UPDATES = 8;
  private static final int SAMPLES = 60;
  private static final int USERS = 900;
  private static final int TAGS = 300;

  /** Where a stored row has the time of its last use, which is that of the harness's clock. */
  private static final int LAST_USE_FROM = 16;

  private static final int LAST_USE_TO = 20;

  private static final String KEY = "app/0";

  @TempDir Path folder;

  private String run = "";

  /** How a run is interrupted. */
  private enum Snapshot {
    NONE,
    CHECKPOINT,
    SAVEPOINT
  }

  /** What there is in the end. */
  private record End(Map<String, String> rows, String network, long hotRows, long rowCount) {}

  private ApplicationSettings settings(RowUpdater updater) throws Exception {
    return ApplicationFiles.read(
        Files.createDirectories(folder.resolve(run)).resolve("app.yaml"),
        """
        name: app
        seed: 7
        input: {topic: events, format: csv, columns: [x, user, tags, y], features: [x],
                ids: [user, {name: tags, at-most: 4}], label: y, classes: 2}
        model: {type: wide-and-deep, hidden: [4]}
        embeddings: {dim: 20, updater: %s}
        training: {mini-batch: 32}
        memory: {rows: {fast-bytes: 64KiB}}
        update: {rule: count, count: %d}
        selection: {policy: uniform, replay-budget: 20, score: contribution}
        """
            .formatted(updater.name().toLowerCase(Locale.ROOT).replace('_', '-'), SAMPLES));
  }

  private LearnerHarness harness(ApplicationSettings settings) throws Exception {
    Path own = folder.resolve(run);
    return new LearnerHarness(settings, own, HarnessEnvironment.in(own));
  }

  private static Arrival arrival(SplittableRandom random, long offset) {
    long user = 2 + (long) (USERS * Math.pow(random.nextDouble(), 2));
    long[] keys = new long[2 + random.nextInt(3)];
    Arrays.setAll(keys, i -> 1_000 + random.nextInt(TAGS));
    keys[0] = user;
    Sample sample =
        new Sample(
            "e" + offset,
            new double[] {(float) random.nextDouble()},
            new int[0],
            new IdLists(keys, new int[] {1, keys.length}),
            user % 2);
    return LearnerHarness.arrival(KEY, "events", offset, sample);
  }

  /** Learns; with a snapshot, what holds the state is thrown away and another one goes on. */
  private End learn(RowUpdater updater, Snapshot kind, int interrupted) throws Exception {
    run = kind + "-" + interrupted;
    ApplicationSettings settings = settings(updater);
    SplittableRandom random = new SplittableRandom(11);
    var harness = harness(settings);
    try {
      harness.open();
      harness.setProcessingTime(1_000);
      long offset = 0;
      for (int update = 1; update <= UPDATES; update++) {
        for (int i = 0; i < SAMPLES; i++) {
          harness.processElement(arrival(random, offset++), 0);
        }
        // The trainer may have ended; the operator learns of it when time passes.
        assertThat(said(harness, DecisionEvent.Type.FIRED, update)).isTrue();
        assertThat(said(harness, DecisionEvent.Type.STAGED, update)).isFalse();
        if (update == interrupted) {
          OperatorSubtaskState snapshot = snapshot(harness, kind);
          harness.close();
          harness = harness(settings);
          harness.initializeState(snapshot);
          harness.open();
        }
        long number = update;
        harness.await(
            "update " + update, event -> isOf(event, DecisionEvent.Type.PUBLISHED, number));
      }
      Status last = last(harness);
      // A savepoint contains all its files; a checkpoint relies on those of the previous one.
      return end(settings, snapshot(harness, Snapshot.SAVEPOINT), last);
    } finally {
      harness.close();
    }
  }

  private static OperatorSubtaskState snapshot(LearnerHarness harness, Snapshot kind)
      throws Exception {
    harness.prepareSnapshotPreBarrier(7);
    return kind == Snapshot.SAVEPOINT
        ? harness
            .snapshotWithLocalState(7, 7, SavepointType.savepoint(SavepointFormatType.CANONICAL))
            .getJobManagerOwnedState()
        : harness.snapshot(7, 7);
  }

  private static boolean said(LearnerHarness harness, DecisionEvent.Type type, long update) {
    return harness.extractOutputValues().stream().anyMatch(event -> isOf(event, type, update));
  }

  private static boolean isOf(DecisionEvent event, DecisionEvent.Type type, long update) {
    return event.type() == type && event.update() != null && event.update().number() == update;
  }

  private static Status last(LearnerHarness harness) {
    List<DecisionEvent> events = harness.extractOutputValues();
    return events.get(events.size() - 1).status();
  }

  private End end(ApplicationSettings settings, OperatorSubtaskState snapshot, Status last)
      throws Exception {
    ModelStore store =
        new ModelStore(folder.resolve(run).resolve("models"), InstantSource.system());
    ModelCheckpoint newest = store.current("app", 0).orElseThrow();
    byte[] network = Files.readAllBytes(Path.of(newest.file(ModelArtifact.NETWORK_FILE)));
    try (KeyedStateHarness harness = new KeyedStateHarness(folder.resolve(run), snapshot)) {
      harness.key(KEY);
      LearnerState state = harness.state();
      RowTables tables =
          new RowTables(
              EmbeddingPlans.of(settings.model()),
              EmbeddingPlans.rule(settings.model(), settings.seed()),
              settings.memory().rows(),
              state.rows());
      tables.restore(Objects.requireNonNull(state.get(LearnerState.Slot.TABLES)));
      tables.flush();
      Map<String, String> rows = new TreeMap<>();
      state
          .rows()
          .rows()
          .forEachRemaining(
              row -> {
                byte[] bytes = row.getValue().clone();
                Arrays.fill(bytes, LAST_USE_FROM, LAST_USE_TO, (byte) 0);
                rows.put("%016x".formatted(row.getKey()), HexFormat.of().formatHex(bytes));
              });
      long hot = Objects.requireNonNull(last.tables()).hotRows();
      return new End(
          rows, HexFormat.of().formatHex(network), hot, tables.usage(StoreTraffic.NONE).rows());
    }
  }

  @ParameterizedTest
  @EnumSource(RowUpdater.class)
  void snapshotInTheMiddleOfAnUpdate_restored_continuesBitForBit(RowUpdater updater)
      throws Exception {
    End whole = learn(updater, Snapshot.NONE, 0);
    assertThat(whole.hotRows())
        .as("some rows are in DRAM, others are not")
        .isBetween(50L, whole.rowCount() - 20);
    List<End> interrupted = new ArrayList<>();
    interrupted.add(learn(updater, Snapshot.CHECKPOINT, 4));
    interrupted.add(learn(updater, Snapshot.SAVEPOINT, 6));
    for (End end : interrupted) {
      assertThat(end.rows()).isEqualTo(whole.rows());
      assertThat(end.network()).isEqualTo(whole.network());
      assertThat(end.rowCount()).isEqualTo(whole.rowCount());
    }
  }
}
