package io.idlalayer.jobs.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.topics.DeadLetter;
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
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stream of rows in a job of Flink's own: each event is learned once, whatever fails. */
final class StreamLearningIT {
  private static final long EVENTS = 20_000;
  private static final long PACE_NANOS = 1_000_000;
  private static final long MALFORMED_EACH = 1_000;

  private static final TypeInformation<Row> ROWS =
      Types.ROW_NAMED(new String[] {"x", "y", "label"}, Types.DOUBLE, Types.FLOAT, Types.STRING);

  /** What the learners of the running job have said; the tests run one after the other. */
  private static final List<DecisionEvent> SAID = new CopyOnWriteArrayList<>();

  private static final List<DeadLetter> LETTERS = new CopyOnWriteArrayList<>();
  private static final AtomicBoolean CHECKPOINTED = new AtomicBoolean();
  private static final AtomicBoolean FAILED = new AtomicBoolean();

  /** Whether rows come slowly, so that checkpoints are completed between them. */
  private static final AtomicBoolean PACED = new AtomicBoolean();

  private static final AtomicLong MADE = new AtomicLong();

  @TempDir Path folder;

  @BeforeEach
  void forget() {
    SAID.clear();
    LETTERS.clear();
    CHECKPOINTED.set(false);
    FAILED.set(false);
    PACED.set(true);
    MADE.set(0);
  }

  /** Makes a row of each number, and throws once after a checkpoint if that is wanted. */
  private static final class Rows extends RichMapFunction<Long, Row> implements CheckpointListener {
    private static final long serialVersionUID = 1L;
    private final boolean fails;

    Rows(boolean fails) {
      this.fails = fails;
    }

    @Override
    public Row map(Long number) {
      if (fails && CHECKPOINTED.get() && FAILED.compareAndSet(false, true)) {
        PACED.set(false);
        throw new IllegalStateException("the source fails, as the test wants");
      }
      if (PACED.get()) {
        LockSupport.parkNanos(PACE_NANOS);
      }
      MADE.incrementAndGet();
      double x = Math.sin(number * 0.7);
      double y = Math.cos(number * 1.3);
      Row row = Row.withNames();
      row.setField("x", number % MALFORMED_EACH == 7 ? Double.NaN : x);
      row.setField("y", (float) y);
      row.setField("label", x + y > 0 ? "up" : "down");
      return row;
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
      CHECKPOINTED.set(true);
    }
  }

  private JobClient start(String from, boolean fails) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        partitions: 2
        input: {format: json, features: [x, y], label: label, classes: [down, up]}
        model: {type: mlp, hidden: [4]}
        update: {rule: count, count: 2000}
        """);
    StreamExecutionEnvironment env = new StreamCluster(folder).environment(from);
    DataStream<Row> rows =
        env.fromSequence(1, EVENTS).uid("numbers").map(new Rows(fails), ROWS).uid("rows");
    LearnedStreams learned =
        OnlineLearning.on(rows).models(folder.resolve("models").toString()).learn(file);
    learned.decisions().map(StreamLearningIT::said, Types.BOOLEAN).uid("said");
    learned.deadLetters().map(StreamLearningIT::letter, Types.BOOLEAN).uid("letters");
    return env.executeAsync("learning");
  }

  private static boolean said(DecisionEvent event) {
    return SAID.add(event);
  }

  private static boolean letter(DeadLetter letter) {
    return LETTERS.add(letter);
  }

  /**
   * Waits until the job has finished, and its cluster too, which ends on threads of its own; a job
   * that has failed throws.
   */
  private void awaitEnd(JobClient job) throws Exception {
    var unused = job.getJobExecutionResult().get(10, TimeUnit.MINUTES);
    new StreamCluster(folder).awaitEnd();
  }

  /** Returns the last status of each partition. */
  private static List<Status> statuses() {
    return List.of(last(0), last(1));
  }

  private static Status last(int partition) {
    Status last = null;
    for (DecisionEvent each : SAID) {
      if (each.status() != null && each.partition() == partition) {
        last = each.status();
      }
    }
    return last;
  }

  private void assertAllLearnedOnce() throws Exception {
    List<Status> statuses = statuses();
    long malformed = EVENTS / MALFORMED_EACH;
    assertThat(statuses)
        .allSatisfy(status -> assertThat(status.inputOffsets()).isEmpty())
        .allSatisfy(status -> assertThat(status.samples().received()).isPositive());
    assertThat(statuses.stream().mapToLong(each -> each.samples().received()).sum())
        .isEqualTo(EVENTS);
    assertThat(statuses.stream().mapToLong(each -> each.samples().malformed()).sum())
        .isEqualTo(malformed);
    assertThat(statuses.stream().mapToLong(Status::trainedNewSamples).sum())
        .isEqualTo(EVENTS - malformed);
    long published = 0;
    ModelStore store = new ModelStore(folder.resolve("models"), InstantSource.system());
    for (int partition = 0; partition < 2; partition++) {
      List<ModelCheckpoint> versions = store.list("app", partition);
      ModelManifest newest = versions.get(versions.size() - 1).manifest();
      published += newest.counts().get("trainedNewSamples");
      assertThat(newest.inputOffsets()).isEmpty();
      assertThat(newest.attributes().get("input")).contains("not known");
    }
    assertThat(published).isEqualTo(EVENTS - malformed);
  }

  @Test
  void learn_sourceFailsAfterACheckpoint_learnsEachEventOnce() throws Exception {
    awaitEnd(start(null, true));
    assertThat(FAILED).isTrue();
    assertThat(MADE.get()).isGreaterThan(EVENTS);
    assertAllLearnedOnce();
    assertThat(SAID)
        .filteredOn(event -> event.type() == DecisionEvent.Type.INPUT)
        .isNotEmpty()
        .allSatisfy(event -> assertThat(event.message()).contains("without positions"));
    assertThat(LETTERS)
        .hasSizeGreaterThanOrEqualTo((int) (EVENTS / MALFORMED_EACH))
        .allSatisfy(
            letter -> assertThat(letter.reason()).isEqualTo("x: NaN is not a finite number"))
        .allSatisfy(letter -> assertThat(letter.topic()).isEmpty());
  }

  @Test
  void learn_stopWithSavepointAndContinuation_learnsEachEventOnce() throws Exception {
    JobClient job = start(null, false);
    Awaitility.await()
        .atMost(2, TimeUnit.MINUTES)
        .until(() -> CHECKPOINTED.get() && MADE.get() > EVENTS / 100);
    String savepoint =
        job.stopWithSavepoint(
                false,
                folder.resolve("savepoints").toUri().toString(),
                SavepointFormatType.CANONICAL)
            .get(2, TimeUnit.MINUTES);
    PACED.set(false);
    new StreamCluster(folder).awaitEnd();
    assertThat(MADE.get()).isLessThan(EVENTS);
    awaitEnd(start(savepoint, false));
    assertThat(MADE.get()).isEqualTo(EVENTS);
    assertAllLearnedOnce();
  }
}
