package io.idlalayer.jobs.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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

/** Two partitions learn one model with a table, of which each has the rows of its own users. */
final class PartitionedTableIT {
  private static final int EVENTS = 8_000;
  private static final int USERS = 300;
  private static final int KINDS = 4;
  private static final long PACE_NANOS = 500_000;

  /**
   * How long a source waits in the second half of its numbers until it may fail. It waits a part of
   * that at each number: checkpoints come between two of them.
   */
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(2);

  private static final KeyRanges RANGES = KeyRanges.ofTable("user", 2);

  private static final TypeInformation<Row> ROWS =
      Types.ROW_NAMED(
          new String[] {"x", "user", "kind", "label"},
          Types.DOUBLE,
          Types.STRING,
          Types.INT,
          Types.STRING);

  /** What the running job has said; the tests run one after the other. */
  private static final List<DecisionEvent> SAID = new CopyOnWriteArrayList<>();

  private static final AtomicBoolean CHECKPOINTED = new AtomicBoolean();
  private static final AtomicBoolean FAILED = new AtomicBoolean();

  @TempDir Path folder;

  @BeforeEach
  void forget() {
    SAID.clear();
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

    private static boolean mixed() {
      return SAID.stream().filter(each -> each.type() == DecisionEvent.Type.MIXED).count() > 3;
    }

    @Override
    public Row map(Long number) {
      boolean waits = fails && !FAILED.get();
      if (waits && CHECKPOINTED.get() && mixed() && FAILED.compareAndSet(false, true)) {
        throw new IllegalStateException("the source fails, as the test wants");
      }
      boolean second = number % (EVENTS / 2) > EVENTS / 4;
      LockSupport.parkNanos(waits && second ? LONGEST_NANOS / (EVENTS / 4) : PACE_NANOS);
      long user = number * 7919 % USERS;
      Row row = Row.withNames();
      row.setField("x", Math.sin(number * 0.7));
      row.setField("user", number % 47 == 0 ? "" : name(user));
      row.setField("kind", (int) (number / 2 % KINDS));
      row.setField("label", user % 2 == 0 ? "up" : "down");
      return row;
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
      CHECKPOINTED.set(true);
    }
  }

  private static String name(long user) {
    return "user " + user;
  }

  private void run(boolean fails) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        partitions: 2
        mixing: {action: average, partition-by: user}
        input: {format: json, features: [x], ids: [user, kind], label: label, classes: [down, up]}
        model: {type: wide-and-deep, hidden: [8]}
        embeddings: {dim: 4, learning-rate: 0.1, tables: [{name: kinds, features: [kind], rows: 4, index: number}]}
        update: {rule: count, count: 100}
        """);
    StreamCluster cluster = new StreamCluster(folder);
    StreamExecutionEnvironment env = cluster.environment(null);
    DataStream<Row> rows =
        env.fromSequence(1, EVENTS).uid("numbers").map(new Rows(fails), ROWS).uid("rows");
    LearnedStreams learned =
        OnlineLearning.on(rows).models(folder.resolve("models").toString()).learn(file);
    learned.decisions().map(PartitionedTableIT::said, Types.BOOLEAN).uid("said");
    var unused = env.executeAsync("mixing").getJobExecutionResult().get(10, TimeUnit.MINUTES);
    cluster.awaitEnd();
  }

  private static boolean said(DecisionEvent event) {
    return SAID.add(event);
  }

  private static Map<Long, String> rows(ModelStore store, ModelCheckpoint version, String of)
      throws IOException {
    List<ModelCheckpoint> chain = store.chain(version);
    List<InputStream> open = new ArrayList<>();
    Map<Long, String> rows = new TreeMap<>();
    try {
      List<RowFile.Reader> newestFirst = new ArrayList<>();
      for (ModelCheckpoint each : chain) {
        InputStream in = store.open(each);
        open.add(in);
        newestFirst.add(0, new RowFile.Reader(in));
      }
      RowFile.merge(
          newestFirst,
          new RowFile.Sink() {
            private boolean reads;

            @Override
            public void table(RowFile.Table table) {
              assertThat(table.name()).isIn("user", "kinds");
              reads = table.name().equals(of);
            }

            @Override
            public void row(long key, float[] values, int at) {
              if (reads) {
                rows.put(key, Arrays.toString(values));
              }
            }

            @Override
            public void deleted(long key) {
              throw new AssertionError("a file of all rows has deletions");
            }

            @Override
            public void end() {}
          },
          true);
    } finally {
      for (InputStream in : open) {
        in.close();
      }
    }
    return rows;
  }

  private void assertOneModelOfAll() throws Exception {
    ModelStore store = new ModelStore(folder.resolve("models"), InstantSource.system());
    ModelStore contributions =
        new ModelStore(folder.resolve("models/.contributions"), InstantSource.system());
    assertThat(store.applications().get("app")).containsExactly(0);
    ModelCheckpoint served = store.current("app", 0).orElseThrow();
    store.verify(served);
    MixedVersion version = MixedVersion.of(served.manifest()).orElseThrow();
    assertThat(version.contributors().stream().mapToLong(Contributor::trained).sum())
        .isEqualTo(EVENTS);
    Map<Long, String> union = new TreeMap<>();
    for (Contributor each : version.contributors()) {
      ModelCheckpoint last = contributions.read("app", each.partition(), each.version());
      assertThat(last.digest()).isEqualTo(each.digest());
      Map<Long, String> own = rows(contributions, last, "user");
      assertThat(own).hasSizeGreaterThan(USERS / 3);
      assertThat(own.keySet()).allMatch(key -> RANGES.of(key) == each.partition());
      union.putAll(own);
    }
    assertThat(rows(store, served, "user").equals(union))
        .as("the rows of both learners are served")
        .isTrue();
    assertThat(union.size()).isEqualTo(USERS + 1);
    SharedRows shared = Objects.requireNonNull(SharedRows.of(store.load(served)));
    Map<Long, String> kindRows = new TreeMap<>();
    int weights = shared.tables().get(0).weights();
    for (int key = 2; key < KINDS + 2; key++) {
      kindRows.put(
          (long) key,
          Arrays.toString(Arrays.copyOfRange(shared.values(), key * weights, (key + 1) * weights)));
    }
    assertThat(rows(store, served, "kinds")).as("rows of both").containsAllEntriesOf(kindRows);
    Set<String> kinds = new TreeSet<>();
    for (ModelCheckpoint each : store.list("app", 0)) {
      kinds.add(each.manifest().attributes().get(ModelManifest.ROWS));
    }
    assertThat(kinds).contains(ModelManifest.ROW_CHANGES);
    assertThat(folder.resolve("models/.rows/app/mixed")).isEmptyDirectory();
    assertServes(store);
  }

  /** A serving process has the rows of both partitions. */
  private static void assertServes(ModelStore store) throws Exception {
    int[] right = new int[2];
    int[] asked = new int[2];
    try (ModelSubscriber<PlainModel> subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, "app", 0, Duration.ofMillis(50)),
            new PlainModelLoader(),
            InstantSource.system())) {
      assertThat(subscriber.refresh()).isTrue();
      try (ModelLease<PlainModel> lease = subscriber.acquire()) {
        for (int user = 0; user < USERS; user++) {
          Sample sample =
              new JsonSampleDecoder(lease.model().spec().schema())
                  .decode(
                      "{\"x\": 0.1, \"kind\": 1, \"user\": \"%s\"}"
                          .formatted(name(user))
                          .getBytes(StandardCharsets.UTF_8));
          double[] answer = lease.model().predict(List.of(sample))[0];
          int partition = RANGES.of(sample.ids().key(0));
          asked[partition]++;
          right[partition] += (answer[1] > answer[0]) == (user % 2 == 0) ? 1 : 0;
        }
      }
    }
    for (int partition = 0; partition < 2; partition++) {
      assertThat(asked[partition]).isGreaterThan(USERS / 3);
      assertThat((double) right[partition] / asked[partition]).isGreaterThan(0.9);
    }
  }

  @Test
  void learn_eventsSentByUser_serveTheRowsOfBothPartitions() throws Exception {
    run(false);
    assertOneModelOfAll();
  }

  @Test
  void learn_sourceFailsAmidRounds_servesTheRowsThatLearnersHave() throws Exception {
    run(true);
    assertThat(FAILED)
        .as("there were a checkpoint and four mixed versions within two minutes")
        .isTrue();
    assertOneModelOfAll();
  }
}
