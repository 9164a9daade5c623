package io.idlalayer.jobs.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.MixingStatus;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two partitions in two slots learn one model. */
final class MixingIT {
  private static final long EVENTS = 12_000;
  private static final long PACE_NANOS = 500_000;

  private static final TypeInformation<Row> ROWS =
      Types.ROW_NAMED(new String[] {"x", "y", "label"}, Types.DOUBLE, Types.FLOAT, Types.STRING);

  /** What the running job has said; the tests run one after the other. */
  private static final List<DecisionEvent> SAID = new CopyOnWriteArrayList<>();

  private static final List<ModelNotice> NOTICES = new CopyOnWriteArrayList<>();
  private static final AtomicBoolean CHECKPOINTED = new AtomicBoolean();
  private static final AtomicBoolean FAILED = new AtomicBoolean();

  @TempDir Path folder;

  @BeforeEach
  void forget() {
    SAID.clear();
    NOTICES.clear();
    CHECKPOINTED.set(false);
    FAILED.set(false);
  }

  /** Makes a row of each number, and throws once when versions were mixed, if that is wanted. */
  private static final class Rows extends RichMapFunction<Long, Row> implements CheckpointListener {
    private static final long serialVersionUID = 1L;
    private final boolean fails;

    Rows(boolean fails) {
      this.fails = fails;
    }

    @Override
    public Row map(Long number) {
      if (fails && CHECKPOINTED.get() && NOTICES.size() > 3 && FAILED.compareAndSet(false, true)) {
        throw new IllegalStateException("the source fails, as the test wants");
      }
      boolean waits = fails && !FAILED.get() && number % (EVENTS / 2) > EVENTS / 4;
      LockSupport.parkNanos(waits ? 40 * PACE_NANOS : PACE_NANOS);
      double x = Math.sin(number * 0.7);
      double y = Math.cos(number * 1.3);
      Row row = Row.withNames();
      row.setField("x", x);
      row.setField("y", (float) y);
      row.setField("label", x + y > 0 ? "up" : "down");
      return row;
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
      CHECKPOINTED.set(true);
    }
  }

  private void run(boolean fails) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        partitions: 2
        mixing: {action: average}
        input: {format: json, features: [x, y], label: label, classes: [down, up]}
        model: {type: mlp, hidden: [8], members: 2}
        update: {rule: count, count: 200}
        """);
    StreamCluster cluster = new StreamCluster(folder);
    StreamExecutionEnvironment env = cluster.environment(null);
    DataStream<Row> rows =
        env.fromSequence(1, EVENTS).uid("numbers").map(new Rows(fails), ROWS).uid("rows");
    LearnedStreams learned =
        OnlineLearning.on(rows).models(folder.resolve("models").toString()).learn(file);
    learned.decisions().map(MixingIT::said, Types.BOOLEAN).uid("said");
    learned.notices().map(MixingIT::noticed, Types.BOOLEAN).uid("noticed");
    var unused = env.executeAsync("mixing").getJobExecutionResult().get(10, TimeUnit.MINUTES);
    cluster.awaitEnd();
  }

  private static boolean said(DecisionEvent event) {
    return SAID.add(event);
  }

  private static boolean noticed(ModelNotice notice) {
    return NOTICES.add(notice);
  }

  private static Status last(int partition) {
    Status last = null;
    for (DecisionEvent each : SAID) {
      if (each.partition() == partition) {
        last = each.status();
      }
    }
    return last;
  }

  private void assertOneModelOfAll() throws Exception {
    ModelStore store = new ModelStore(folder.resolve("models"), InstantSource.system());
    assertThat(store.applications()).containsOnlyKeys("app");
    assertThat(store.applications().get("app")).containsExactly(0);
    ModelCheckpoint served = store.current("app", 0).orElseThrow();
    store.verify(served);
    assertThat(store.load(served))
        .containsOnlyKeys("model.zip", "scaler.json", "spec.json", "mixture.json");
    MixedVersion version = MixedVersion.of(served.manifest()).orElseThrow();
    assertThat(version.contributors()).extracting(Contributor::partition).containsExactly(0, 1);
    for (Contributor each : version.contributors()) {
      assertThat(each.trained()).isEqualTo(last(each.partition()).trainedNewSamples());
    }
    assertThat(version.contributors().stream().mapToLong(Contributor::trained).sum())
        .isEqualTo(EVENTS);
    assertThat(served.manifest().counts().get("trainedNewSamples")).isEqualTo(EVENTS);
    assertThat(NOTICES)
        .allSatisfy(notice -> assertThat(notice.partition()).isZero())
        .extracting(ModelNotice::version)
        .isSorted()
        .last()
        .isEqualTo(served.manifest().version());
    assertThat(SAID)
        .filteredOn(event -> event.type() == DecisionEvent.Type.MIXED)
        .hasSizeGreaterThan(4);
    assertThat(SAID).noneMatch(event -> event.message().contains("goes on alone"));
    for (int partition = 0; partition < 2; partition++) {
      MixingStatus mixing = last(partition).mixing();
      assertThat(mixing).isNotNull();
      assertThat(mixing.round()).isBetween(1L, version.round());
      assertThat(mixing.adopted()).isPositive();
      assertThat(mixing.late()).isZero();
    }
    assertThat(SAID)
        .map(event -> event.status().mixing())
        .as("a round that both took part in")
        .anyMatch(mixing -> mixing != null && mixing.parts().size() == 2);
  }

  @Test
  void learn_twoPartitions_serveOneModelOfAllEvents() throws Exception {
    run(false);
    assertOneModelOfAll();
  }

  @Test
  void learn_sourceFailsAmidRounds_mixesEachEventOnce() throws Exception {
    run(true);
    assertThat(FAILED).isTrue();
    assertOneModelOfAll();
  }
}
