package io.idlalayer.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.kafka.Heartbeat;
import io.idlalayer.middleware.models.kafka.HeartbeatSource;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.TestCredentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models in real queries of Flink SQL. */
final class ModelInSqlIT {
  private static final String INPUT = "INPUT (a DOUBLE, b INT, c ARRAY<FLOAT>, site STRING)";
  private static final String OUTPUT =
      "OUTPUT (prediction STRING, probability DOUBLE, probabilities ARRAY<DOUBLE>, version BIGINT,"
          + " published_at TIMESTAMP_LTZ(3))";
  private static final String EVENTS =
      "(VALUES (0.5, 3, ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)], 'x'),"
          + " (-1.5, 0, ARRAY[CAST(0 AS FLOAT), CAST(0 AS FLOAT)], '')) AS e (a, b, c, site)";

  private static final String ENDPOINT = "aws.endpointUrlS3";

  /** Folder for the clusters of all queries, which end a little later than the queries. */
  @TempDir static Path flink;

  @TempDir Path folder;
  @TempDir Path objects;
  private SqlModels models;
  private TableEnvironment tables;

  @BeforeEach
  void open() throws IOException {
    models = new SqlModels(new ModelStore(folder, InstantSource.system()));
    Configuration conf = new Configuration();
    for (String key :
        List.of("io.tmp.dirs", "web.tmpdir", "web.upload.dir", "blob.storage.directory")) {
      conf.setString(key, flink.toString());
    }
    conf.setString("process.working-dir", flink.toString());
    tables =
        TableEnvironment.create(
            EnvironmentSettings.newInstance().inStreamingMode().withConfiguration(conf).build());
    tables.getConfig().set("parallelism.default", "2");
  }

  private void createModel(String input, String output, String more) {
    createModel(input, output, folder.toString(), more);
  }

  private void createModel(String input, String output, String store, String more) {
    tables.executeSql(
        "CREATE TEMPORARY MODEL m %s %s WITH ('provider' = 'idla', 'store' = '%s', 'application' = 'app'%s)"
            .formatted(input, output, store, more));
  }

  private List<Row> rows(String query) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (CloseableIterator<Row> results = tables.executeSql(query).collect()) {
      results.forEachRemaining(rows::add);
    }
    return rows;
  }

  private void createEvents() {
    tables.executeSql(
        "CREATE TEMPORARY VIEW events AS SELECT CAST(a AS DOUBLE) AS a, CAST(b AS INT) AS b, c,"
            + " CAST(site AS STRING) AS site FROM "
            + EVENTS);
  }

  private PlainModel model(ModelCheckpoint checkpoint) throws IOException {
    return new PlainModelLoader().load(models.store(), checkpoint);
  }

  @Test
  void mlPredict_givesWhatTheModelGives() throws Exception {
    ModelCheckpoint published = models.publish(SqlModels.CLASSES, 1);
    createModel(INPUT, OUTPUT, "");
    createEvents();
    List<Row> rows =
        rows(
            "SELECT a, prediction, probability, probabilities, version, published_at"
                + " FROM ML_PREDICT(TABLE events, MODEL m, DESCRIPTOR(a, b, c, site))");
    assertThat(rows).hasSize(2);
    PlainModel model = model(published);
    for (Row row : rows) {
      boolean first = (double) row.getField(0) == 0.5;
      double[] dense = first ? new double[] {0.5, 3, 1, 2} : new double[] {-1.5, 0, 0, 0};
      int bucket = first ? bucketOf("x") : 0;
      double[] expected = model.predict(new Sample("", dense, new int[] {bucket}, Sample.NO_LABEL));
      int best = expected[1] > expected[0] ? 1 : 0;
      assertThat(row.getField(1)).isEqualTo(best == 1 ? "yes" : "no");
      assertThat((double) row.getField(2)).isEqualTo(expected[best]);
      assertThat((Double[]) row.getField(3)).containsExactly(expected[0], expected[1]);
      assertThat(row.getField(4)).isEqualTo(1L);
      assertThat(((Instant) row.getField(5)).toEpochMilli())
          .isEqualTo(published.manifest().createdAtMillis());
    }
  }

  private static int bucketOf(String text) throws Exception {
    var draft = new io.idlalayer.middleware.sample.format.SampleDraft(SqlModels.CLASSES);
    draft.category(0, text);
    return draft.sample().categorical()[0];
  }

  @Test
  void columnsOfOtherTypes_areCast() throws Exception {
    ModelCheckpoint published = models.publish(SqlModels.CLASSES, 1);
    createModel(
        "INPUT (a DOUBLE, b BIGINT, c ARRAY<DOUBLE>, site STRING)",
        "OUTPUT (probability DOUBLE)",
        "");
    PlainModel model = model(published);
    double[] expected =
        model.predict(
            new Sample("", new double[] {2, 3, 1, 2}, new int[] {bucketOf("x")}, Sample.NO_LABEL));
    double best = Math.max(expected[0], expected[1]);
    // One query for all of them: each query starts a cluster.
    List<String> queries = new ArrayList<>();
    List<Row> wanted = new ArrayList<>();
    for (String a : List.of("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DECIMAL(10, 2)")) {
      for (String b : List.of("TINYINT", "SMALLINT", "INT")) {
        String view =
            ("(SELECT CAST(2 AS %s) AS a, CAST(3 AS %s) AS b,"
                    + " ARRAY[CAST(1 AS %s), CAST(2 AS %s)] AS c, CAST('x' AS %s) AS site)")
                .formatted(a, b, b, b, b.equals("INT") ? "CHAR(3)" : "VARCHAR(9)");
        String types = a + " and " + b;
        queries.add(
            ("SELECT '%s' AS types, probability"
                    + " FROM ML_PREDICT(%s, MODEL m, DESCRIPTOR(a, b, c, site))")
                .formatted(types, view));
        wanted.add(Row.of(types, best));
      }
    }
    assertThat(rows(String.join(" UNION ALL ", queries)))
        .containsExactlyInAnyOrderElementsOf(wanted);
  }

  @Test
  void columnThatCannotBeCast_isRefusedByNameWhenTheQueryIsPlanned() throws Exception {
    models.publish(SqlModels.CLASSES, 1);
    createModel("INPUT (a DOUBLE, b INT, c ARRAY<FLOAT>, site STRING)", OUTPUT, "");
    for (String a : List.of("'text'", "TRUE", "DATE '2026-01-01'", "ARRAY[1.0e0]")) {
      assertThatThrownBy(
              () ->
                  tables.explainSql(
                      ("SELECT version FROM ML_PREDICT((SELECT %s AS wrong, 3 AS b,"
                              + " ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)] AS c, 'x' AS site),"
                              + " MODEL m, DESCRIPTOR(wrong, b, c, site))")
                          .formatted(a)))
          .as(a)
          .isInstanceOf(ValidationException.class)
          .hasStackTraceContaining("wrong");
    }
  }

  @Test
  void aTarget_isANumber() throws Exception {
    ModelCheckpoint published = models.publish(SqlModels.TARGET, 1);
    createModel("INPUT (a DECIMAL(10, 2))", "OUTPUT (prediction DOUBLE)", "");
    tables.executeSql(
        "CREATE TEMPORARY VIEW numbers AS SELECT CAST(a AS DECIMAL(10, 2)) AS a"
            + " FROM (VALUES (0.25)) AS e (a)");
    List<Row> rows =
        rows("SELECT prediction FROM ML_PREDICT(TABLE numbers, MODEL m, DESCRIPTOR(a))");
    double[] expected = model(published).predict(Sample.of(new double[] {0.25f}, Sample.NO_LABEL));
    assertThat((double) rows.get(0).getField(0)).isCloseTo(expected[0], within(1e-9));
  }

  @Test
  void rowsThatNoModelCanTake_haveAVersionAndNoPrediction() throws Exception {
    models.publish(SqlModels.CLASSES, 1);
    createModel(INPUT, OUTPUT, "");
    tables.executeSql(
        "CREATE TEMPORARY VIEW holes AS SELECT CAST(a AS DOUBLE) AS a, CAST(b AS INT) AS b, c,"
            + " CAST(site AS STRING) AS site FROM (VALUES"
            + " (CAST(NULL AS DOUBLE), 3, ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)], 'x'),"
            + " (1.0, 3, ARRAY[CAST(1 AS FLOAT)], 'x'),"
            + " (1.0, 3, ARRAY[CAST(1 AS FLOAT), CAST(NULL AS FLOAT)], 'x')) AS e (a, b, c, site)");
    List<Row> rows =
        rows(
            "SELECT prediction, probability, version"
                + " FROM ML_PREDICT(TABLE holes, MODEL m, DESCRIPTOR(a, b, c, site))");
    assertThat(rows).hasSize(3).allMatch(row -> row.equals(Row.of(null, null, 1L)));
  }

  @Test
  void aPredictionThatIsNotFinite_isNone() throws Exception {
    float large = 3e38f;
    ModelCheckpoint published = models.publish(SqlModels.TARGET, 1);
    for (long seed = 2; Double.isFinite(predicted(published, large)); seed++) {
      published = models.publish(SqlModels.TARGET, seed);
    }
    createModel("INPUT (a DOUBLE)", "OUTPUT (prediction DOUBLE, version BIGINT)", "");
    List<Row> rows =
        rows(
            "SELECT e.a, prediction, version FROM ML_PREDICT("
                + "(SELECT a FROM (VALUES (CAST(3e38 AS DOUBLE)), (0.25e0)) AS e (a)),"
                + " MODEL m, DESCRIPTOR(a)) AS e");
    long version = published.manifest().version();
    assertThat(rows)
        .containsExactlyInAnyOrder(
            Row.of(3e38, null, version), Row.of(0.25, predicted(published, 0.25), version));
  }

  private double predicted(ModelCheckpoint published, double a) throws IOException {
    return model(published).predict(Sample.of(new double[] {a}, Sample.NO_LABEL))[0];
  }

  /**
   * Reads rows until one was answered by a version. Each one before must have a prediction, of the
   * version before.
   */
  private static void readUntil(CloseableIterator<Row> rows, long version, long before) {
    for (int read = 0; read < 1_000_000; read++) {
      Row row = rows.next();
      assertThat(row.getField(1)).isNotNull();
      long answered = (long) row.getField(0);
      if (answered == version) {
        return;
      }
      assertThat(answered).isEqualTo(before);
    }
    throw new AssertionError("version %d never answered".formatted(version));
  }

  /** Reads rows for a second, fifty looks at the store, and some that follow. */
  private static void readOn(CloseableIterator<Row> rows, long version) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    for (int later = 0; later < 500; ) {
      Row row = rows.next();
      assertThat(row.getField(0)).isEqualTo(version);
      assertThat(row.getField(1)).isNotNull();
      if (System.nanoTime() > deadlineNanos) {
        later++;
      }
    }
  }

  private void createEndless() {
    tables.getConfig().set("parallelism.default", "1");
    tables.executeSql(
        "CREATE TEMPORARY TABLE arrivals (a DOUBLE, b INT, site STRING) WITH ('connector' ="
            + " 'datagen', 'rows-per-second' = '1000', 'fields.a.min' = '-1', 'fields.a.max' = '1',"
            + " 'fields.b.min' = '0', 'fields.b.max' = '9')");
    tables.executeSql(
        "CREATE TEMPORARY VIEW endless AS SELECT a, b,"
            + " ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)] AS c, site FROM arrivals");
  }

  private TableResult endlessVersions() {
    return tables.executeSql(
        "SELECT version, prediction"
            + " FROM ML_PREDICT(TABLE endless, MODEL m, DESCRIPTOR(a, b, c, site))");
  }

  @Test
  void versionsChange_whileAQueryRunsAndDamagedOnesAreRefused() throws Exception {
    checkChanges(models, folder.toString(), Path::of);
  }

  @Test
  void versionsChange_inAnObjectStore_asInAFolder() throws Exception {
    String place = "s3://%s/team".formatted(ObjectStoreServer.BUCKET);
    TestCredentials.set();
    try (ObjectStoreServer server = ObjectStoreServer.start(objects)) {
      Set<String> asked = ConcurrentHashMap.newKeySet();
      server.faults(
          (method, path) -> {
            asked.add(method + " " + path);
            return ObjectStoreServer.Fate.ANSWERED;
          });
      System.setProperty(ENDPOINT, server.endpoint().toString());
      try (ModelStore store =
          ModelStore.open(place, InstantSource.system(), PublisherIdentity.ofThisProcess())) {
        checkChanges(new SqlModels(store), place, server::file);
      } finally {
        System.clearProperty(ENDPOINT);
      }
      assertThat(asked)
          .as("the damaged version was fetched, and that of another schema")
          .contains(
              "GET /models/team/app/0/v0000000003/model.zip",
              "GET /models/team/app/0/v0000000004/spec.json");
    }
  }

  /**
   * @param fileOf the file of a location of the store
   */
  private void checkChanges(SqlModels published, String place, Function<String, Path> fileOf)
      throws Exception {
    published.publish(SqlModels.CLASSES, 1);
    createModel(INPUT, OUTPUT, place, ", 'poll-interval' = '20 ms'");
    createEndless();
    TableResult query = endlessVersions();
    try (CloseableIterator<Row> rows = query.collect()) {
      readUntil(rows, 1, 1);
      ModelCheckpoint second = published.publish(SqlModels.CLASSES, 2);
      readUntil(rows, 2, 1);
      // No subscriber takes the third version before it is damaged.
      published.store().pin(second, 0, "for a moment");
      ModelCheckpoint damaged = published.publish(SqlModels.CLASSES, 3);
      Path file = fileOf.apply(damaged.file("model.zip"));
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 1;
      Files.write(file, bytes);
      published.store().unpin("app", 0);
      readOn(rows, 2);
      // Another schema is none that the query could use.
      published.publish(SqlModels.TARGET, 4);
      readOn(rows, 2);
      published.publish(SqlModels.CLASSES, 5);
      readUntil(rows, 5, 2);
    }
    // Closing cancels the query; it ends a little later.
    JobClient job = query.getJobClient().orElseThrow();
    assertThatThrownBy(() -> job.getJobExecutionResult().get(60, TimeUnit.SECONDS))
        .hasStackTraceContaining("JobCancellationException");
  }

  @Test
  void heartbeats_tellWhichVersionAQueryUsesAndWhenItEnds() throws Exception {
    models.publish(SqlModels.CLASSES, 1);
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("broker"), 0);
        Admin admin =
            Admin.create(Map.<String, Object>of("bootstrap.servers", broker.bootstrapServers()))) {
      admin
          .createTopics(List.of(new NewTopic("app-subscribers", 1, (short) 1)))
          .all()
          .get(1, TimeUnit.MINUTES);
      createModel(
          INPUT,
          OUTPUT,
          ", 'poll-interval' = '20 ms', 'heartbeats.properties.bootstrap.servers' = '%s'"
              .formatted(broker.bootstrapServers()));
      createEndless();
      try (HeartbeatSource heard =
          new HeartbeatSource(
              Map.of("bootstrap.servers", broker.bootstrapServers()), List.of("app-subscribers"))) {
        String name;
        try (CloseableIterator<Row> rows = endlessVersions().collect()) {
          readUntil(rows, 1, 1);
          Heartbeat first = awaitHeartbeat(heard, it -> it.service().version() == 1);
          name = first.subscriber().name();
          assertThat(first.application()).isEqualTo("app");
          assertThat(first.partition()).isZero();
          models.publish(SqlModels.CLASSES, 2);
          readUntil(rows, 2, 1);
          Heartbeat second = awaitHeartbeat(heard, it -> it.service().version() == 2);
          assertThat(second.subscriber().name()).as("one of the process").isEqualTo(name);
          assertThat(second.beat().stopped()).isFalse();
        }
        Heartbeat end = awaitHeartbeat(heard, it -> it.beat().stopped());
        assertThat(end.subscriber().name()).isEqualTo(name);
      }
    }
  }

  private static Heartbeat awaitHeartbeat(HeartbeatSource heard, Predicate<Heartbeat> wanted)
      throws IOException {
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (System.nanoTime() < deadlineNanos) {
      for (HeartbeatSource.Heard each : heard.poll(Duration.ofMillis(200))) {
        if (wanted.test(each.heartbeat())) {
          return each.heartbeat();
        }
      }
    }
    throw new AssertionError("no such heartbeat in a minute");
  }

  @Test
  void aDamagedVersion_isNeverAnswered() throws Exception {
    models.publish(SqlModels.CLASSES, 1);
    ModelCheckpoint damaged = models.publish(SqlModels.CLASSES, 2);
    Files.write(Path.of(damaged.file("model.zip")), new byte[] {1, 2, 3});
    createModel(INPUT, OUTPUT, ", 'wait-for-model' = '1 s'");
    createEvents();
    // Nothing was loaded before, so there is nothing to go on with; the message says what is wrong.
    assertThatThrownBy(
            () ->
                rows(
                    "SELECT version FROM ML_PREDICT(TABLE events, MODEL m, DESCRIPTOR(a, b, c,"
                        + " site))"))
        .hasStackTraceContaining("wait-for-model")
        .hasStackTraceContaining("model.zip");
  }

  @Test
  void aMistypedFolder_isDoubted() {
    createEvents();
    tables.executeSql(
        "CREATE TEMPORARY MODEL m %s %s WITH ('provider' = 'idla', 'store' = '%s', 'application' = 'app', 'wait-for-model' = '0 s')"
            .formatted(INPUT, OUTPUT, folder.resolve("of-nobody")));
    String query =
        "SELECT version FROM ML_PREDICT(TABLE events, MODEL m, DESCRIPTOR(a, b, c, site))";
    assertThatThrownBy(() -> rows(query)).hasStackTraceContaining("is it right?");
  }

  @Test
  void aServer_isAStoreToo() throws Exception {
    models.publish(SqlModels.CLASSES, 1);
    Path token = Files.writeString(folder.resolve("token"), "secret-7\n");
    Path cache = folder.resolve(".cache");
    try (ModelServer server =
        ModelServer.start(
            ModelStore.confined(folder),
            ModelServerSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "secret-7",
                false,
                null))) {
      tables.executeSql(
          "CREATE TEMPORARY MODEL m %s %s WITH ('provider' = 'idla', 'store' = '%s', 'application' = 'app', 'token-file' = '%s', 'cache-folder' = '%s')"
              .formatted(INPUT, OUTPUT, server.address(), token, cache));
      createEvents();
      assertThat(
              rows(
                  "SELECT version FROM ML_PREDICT(TABLE events, MODEL m, DESCRIPTOR(a, b, c,"
                      + " site))"))
          .containsExactly(Row.of(1L), Row.of(1L));
      try (Stream<Path> files = Files.walk(cache)) {
        assertThat(files.map(Path::toString).filter(it -> it.endsWith(".copy"))).isNotEmpty();
      }
    }
  }

  @Test
  void aPinnedVersion_answers() throws Exception {
    ModelCheckpoint first = models.publish(SqlModels.CLASSES, 1);
    models.publish(SqlModels.CLASSES, 2);
    models.store().pin(first, 0, "better");
    createModel(INPUT, OUTPUT, "");
    createEvents();
    assertThat(
            rows(
                "SELECT version FROM ML_PREDICT(TABLE events, MODEL m, DESCRIPTOR(a, b, c, site))"))
        .containsExactly(Row.of(1L), Row.of(1L));
  }

  @Test
  void theExample_runs() throws Exception {
    models.publish(
        SqlModels.numbers("period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"),
        1);
    String example = Files.readString(Path.of("../../examples/sql/predict.sql"));
    String[] statements =
        example
            .replaceAll("(?m)^--.*$", "")
            .replace("idla-work/electricity/models", folder.toString())
            .replace("'application' = 'electricity'", "'application' = 'app'")
            .replace("'rows-per-second' = '100'", "'rows-per-second' = '10000'")
            .split(";", -1);
    assertThat(statements).hasSize(4);
    tables.executeSql(statements[0]);
    tables.executeSql(statements[1]);
    assertThat(rows(statements[2]))
        .hasSize(500)
        .allMatch(row -> row.getField(1) != null && row.getField(3).equals(1L));
  }

  @Test
  void mistakes_areNamed() throws Exception {
    models.publish(SqlModels.CLASSES, 1);
    createEvents();
    String query = "SELECT * FROM ML_PREDICT(TABLE events, MODEL m, DESCRIPTOR(a, b, c, site))";
    createModel(INPUT, "OUTPUT (prediction INT, score DOUBLE)", "");
    assertThatThrownBy(() -> rows(query))
        .hasStackTraceContaining("'prediction' INT, 'score' DOUBLE")
        .hasStackTraceContaining("published_at TIMESTAMP_LTZ(3)");
    tables.executeSql("DROP TEMPORARY MODEL m");
    createModel(INPUT, OUTPUT, ", 'when-stale' = 'REFUSE'");
    assertThatThrownBy(() -> rows(query))
        .isInstanceOf(ValidationException.class)
        .hasStackTraceContaining("no effect without 'max-staleness'");
    tables.executeSql("DROP TEMPORARY MODEL m");
    createModel(INPUT, OUTPUT, ", 'alias' = '7'");
    assertThatThrownBy(() -> rows(query)).hasStackTraceContaining("'application' or 'alias'");
    tables.executeSql("DROP TEMPORARY MODEL m");
    // That a version differs from the query's columns is said at once, however long one may wait.
    createModel(INPUT.replace("site STRING", "site DOUBLE"), OUTPUT, ", 'wait-for-model' = '1 h'");
    tables.executeSql(
        "CREATE TEMPORARY VIEW numbered AS SELECT a, b, c, CAST(3 AS DOUBLE) AS site FROM events");
    assertThatThrownBy(
            () ->
                rows(
                    "SELECT * FROM ML_PREDICT(TABLE numbered, MODEL m, DESCRIPTOR(a, b, c, site))"))
        .hasStackTraceContaining(
            "INPUT column 'site' is DOUBLE, but the model's feature of this name has another type");
    tables.executeSql("DROP TEMPORARY MODEL m");
    createModel(INPUT, OUTPUT, ", 'polling' = '1 s'");
    assertThatThrownBy(() -> rows(query)).hasStackTraceContaining("polling");
    tables.executeSql("DROP TEMPORARY MODEL m");
    createModel(
        "INPUT (a DOUBLE, x INT, c ARRAY<FLOAT>, site STRING)",
        OUTPUT,
        ", 'wait-for-model' = '1 h'");
    assertThatThrownBy(() -> rows(query))
        .hasStackTraceContaining("differs from the query's columns: version 1")
        .hasStackTraceContaining("feature 'b' is not an INPUT column")
        .hasStackTraceContaining("INPUT column 'x' is not a feature");
  }
}
