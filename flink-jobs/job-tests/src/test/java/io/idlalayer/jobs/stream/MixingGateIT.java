package io.idlalayer.jobs.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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

/** Two partitions learn one model, which the release gate keeps from what wrong labels teach. */
final class MixingGateIT {
  private static final long EVENTS = 40_000;

  /** Time between two events, until what the test waits for has come. */
  private static final long PACE_NANOS = 2_000_000;

  /**
   * In each half of the events labels may be wrong from this number on; {@link Mislabeling} says
   * when.
   */
  private static final long WRONG_FROM = 2_000;

  /** Events of each half from this number on have right labels, whatever learners do. */
  private static final long RIGHT_FROM = 17_000;

  /** Right events between wrong ones, at least. */
  private static final long RIGHT_BETWEEN = 800;

  /** Right events after which the source fails: the model with wrong labels is compared then. */
  private static final long AFTER_WRONG = 100;

  private static final TypeInformation<Row> ROWS =
      Types.ROW_NAMED(new String[] {"x", "y", "label"}, Types.DOUBLE, Types.FLOAT, Types.STRING);

  private static final List<DecisionEvent> SAID = new CopyOnWriteArrayList<>();
  private static final AtomicBoolean CHECKPOINTED = new AtomicBoolean();
  private static final AtomicBoolean FAILED = new AtomicBoolean();

  private static final Mislabeling MISLABELING = new Mislabeling();
  private static final AtomicLong AFTERWARDS = new AtomicLong();

  @TempDir Path folder;

  @BeforeEach
  void forget() {
    SAID.clear();
    CHECKPOINTED.set(false);
    FAILED.set(false);
    MISLABELING.forget();
    AFTERWARDS.set(0);
  }

  /**
   * Says which events have wrong labels: those between two updates of each learner. So the second
   * one learns from wrong labels, and its model is compared on right ones: with more wrong labels
   * it would be compared on those. On a busy machine it may be mixed too late, with what right
   * labels have taught since. Wrong labels come again if no model is refused, each second time for
   * an update more. Safe from any thread.
   */
  private static final class Mislabeling {
    private final long[] firedBefore = new long[2];
    private boolean wrong;
    private boolean ended;
    private boolean due;
    private long right;
    private int times;
    private boolean begun;
    private long refusedBefore;

    synchronized void forget() {
      wrong = false;
      ended = false;
      due = false;
      right = RIGHT_BETWEEN;
      times = 0;
      begun = false;
    }

    /** Returns whether a model has been refused since wrong labels came first. */
    synchronized boolean isRefused() {
      return begun && refusals() > refusedBefore;
    }

    private static long refusals() {
      return SAID.stream().filter(each -> each.type() == DecisionEvent.Type.HELD).count();
    }

    /** Returns whether wrong labels have come and right ones after them. */
    synchronized boolean ended() {
      return ended;
    }

    /** Returns whether the next event has a wrong label. */
    synchronized boolean next() {
      if (wrong && allBegan(1 + times % 2)) {
        wrong = false;
        ended = true;
        right = 0;
        times++;
      } else if (due && allBegan(1)) {
        due = false;
        wrong = true;
        remember();
        if (!begun) {
          begun = true;
          refusedBefore = refusals();
        }
      } else if (!wrong && !due && ++right > RIGHT_BETWEEN) {
        due = !isRefused();
        remember();
      }
      return wrong;
    }

    private void remember() {
      for (int partition = 0; partition < firedBefore.length; partition++) {
        firedBefore[partition] = count(DecisionEvent.Type.FIRED, partition);
      }
    }

    /** Returns whether each learner has begun that many updates since the last call of remember. */
    private boolean allBegan(int updates) {
      return IntStream.range(0, firedBefore.length)
          .allMatch(each -> count(DecisionEvent.Type.FIRED, each) >= firedBefore[each] + updates);
    }
  }

  /** Makes a row of each number, and throws once after the wrong labels, if that is wanted. */
  private static final class Rows extends RichMapFunction<Long, Row> implements CheckpointListener {
    private static final long serialVersionUID = 1L;
    private final boolean fails;

    Rows(boolean fails) {
      this.fails = fails;
    }

    @Override
    public Row map(Long number) {
      if (fails ? !FAILED.get() : !MISLABELING.isRefused()) {
        LockSupport.parkNanos(PACE_NANOS);
      }
      long ofHalf = number % (EVENTS / 2);
      while (ofHalf == WRONG_FROM && !mixedTwiceByAll()) {
        LockSupport.parkNanos(PACE_NANOS);
      }
      boolean wrong = ofHalf >= WRONG_FROM && ofHalf < RIGHT_FROM && MISLABELING.next();
      if (fails
          && !wrong
          && MISLABELING.ended()
          && AFTERWARDS.incrementAndGet() >= AFTER_WRONG
          && CHECKPOINTED.get()
          && FAILED.compareAndSet(false, true)) {
        throw new IllegalStateException("the source fails, as the test wants");
      }
      double x = Math.sin(number * 0.7);
      double y = Math.cos(number * 1.3);
      Row row = Row.withNames();
      row.setField("x", x);
      row.setField("y", (float) y);
      row.setField("label", (x + y > 0) == wrong ? "down" : "up");
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
        model: {type: mlp, hidden: [8]}
        training: {epochs: 2, learning-rate: 0.02}
        update: {rule: count, count: 400}
        selection: {replay-budget: 0}
        publishing: {keep: 1000, gate: {action: hold, samples: 300, wait: 5s}}
        """);
    StreamCluster cluster = new StreamCluster(folder);
    StreamExecutionEnvironment env = cluster.environment(null);
    // What learners say is known at once, so that few wrong labels come after their updates.
    env.setBufferTimeout(0);
    DataStream<Row> rows =
        env.fromSequence(1, EVENTS).uid("numbers").map(new Rows(fails), ROWS).uid("rows");
    LearnedStreams learned =
        OnlineLearning.on(rows).models(folder.resolve("models").toString()).learn(file);
    learned.decisions().map(MixingGateIT::said, Types.BOOLEAN).uid("said");
    var unused = env.executeAsync("gate").getJobExecutionResult().get(10, TimeUnit.MINUTES);
    cluster.awaitEnd();
  }

  private static long count(DecisionEvent.Type type, int partition) {
    return SAID.stream()
        .filter(each -> each.type() == type && each.partition() == partition)
        .count();
  }

  /** Returns whether both learners go on from a version with right labels only. */
  private static boolean mixedTwiceByAll() {
    return Stream.of(0, 1).allMatch(partition -> count(DecisionEvent.Type.MIXED, partition) > 1);
  }

  private static boolean said(DecisionEvent event) {
    return SAID.add(event);
  }

  private List<ModelManifest> versions() throws Exception {
    ModelStore store = new ModelStore(folder.resolve("models"), InstantSource.system());
    return store.list("app", 0).stream().map(ModelCheckpoint::manifest).toList();
  }

  /** The served model contains each event once, and models were compared before it. */
  private static void assertAllIsServed(List<ModelManifest> versions) {
    assertThat(versions)
        .filteredOn(each -> each.counts().get("newSamples") > 0 && each.version() > 1)
        .anySatisfy(
            each -> assertThat(each.counts().get("comparedSamples")).isGreaterThanOrEqualTo(300));
    ModelManifest served = versions.get(versions.size() - 1);
    MixedVersion mixed = MixedVersion.of(served).orElseThrow();
    assertThat(mixed.contributors()).extracting(Contributor::partition).containsExactly(0, 1);
    assertThat(served.counts().get("trainedNewSamples")).isEqualTo(EVENTS);
  }

  @Test
  void learn_wrongLabelsForAWhile_refusesTheMixedModelAndLosesNoProgress() throws Exception {
    run(false);
    List<ModelManifest> versions = versions();
    assertAllIsServed(versions);
    assertThat(SAID)
        .filteredOn(each -> each.type() == DecisionEvent.Type.HELD)
        .isNotEmpty()
        .allSatisfy(each -> assertThat(each.message()).contains("it is not published"));
    ModelManifest served = versions.get(versions.size() - 1);
    assertThat(MixedVersion.of(served).orElseThrow().round())
        .as("rounds, with refused ones")
        .isGreaterThan(versions.size());
  }

  @Test
  void learn_failureWhileAModelIsCompared_losesNoProgress() throws Exception {
    run(true);
    assertThat(FAILED).isTrue();
    assertAllIsServed(versions());
  }
}
