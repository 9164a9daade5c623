package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A model with tables, from the file of events to the served model, over two runs: what a user
 * likes is told by the ids only, and the second run goes on with the rows of the first.
 */
final class TablesRunIT {
  private static final int USERS = 40;

  /**
   * Number of rows of the table of fixed size: half of the users of the second run have no row in
   * it.
   */
  private static final int ROWS = USERS + USERS / 2;

  /** One broker for all tests: each has an application of its own. */
  private static EmbeddedBroker broker;

  private static int applications;

  @TempDir Path folder;

  private final String name = "likes-" + applications++;

  /** Prefix of users in events. */
  private String prefix = "user-";

  private String model = "wide-and-deep, hidden: [8]";

  private String memory = "fast-bytes: 64KiB";

  /** Further settings of updates, beside their rule. */
  private String updates = "";

  /** Whether events have a number, too. It tells nothing. */
  private boolean numbers;

  /**
   * Tables of fixed size.
   *
   * @param users rows of the one of users
   */
  private static String fixed(int users) {
    return ", tables: [{name: users, features: [user], rows: %d, index: number},".formatted(users)
        + " {name: words, features: [tags], rows: 500}]";
  }

  @BeforeAll
  static void startBroker(@TempDir Path log) throws IOException {
    broker = EmbeddedBroker.start(log, 0);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  private ApplicationSettings application() throws Exception {
    return application("", "");
  }

  private ApplicationSettings application(String embeddings, String lines) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("likes.yaml"),
        """
        name: %s
        input:
          format: csv
          columns: [user, tags, %sliked]
          %s
          ids: [user, {name: tags, at-most: 5}]
          label: liked
          classes: 2
        model: {type: %s}
        embeddings: {dim: 4, learning-rate: 0.1%s}
        memory: {rows: {%s}}
        training: {epochs: 2, learning-rate: 0.01}
        update: {rule: count, count: 200%s}
        %s
        """
            .formatted(
                name,
                numbers ? "noise, " : "",
                numbers ? "features: [noise]" : "",
                model,
                embeddings,
                memory,
                updates,
                lines));
  }

  private Path events(String name, int count, long seed, int firstUser) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      int user = firstUser + random.nextInt(USERS);
      text.append(prefix).append(user).append(',').append(tags(random));
      text.append(numbers ? "," + random.nextDouble() : "");
      text.append(',').append(user % 2).append('\n');
    }
    return Files.writeString(folder.resolve(name), text);
  }

  /** None, one, or several. */
  private static String tags(SplittableRandom random) {
    List<String> tags = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      tags.add("t" + random.nextInt(1_000));
    }
    return String.join("|", tags);
  }

  private RowUsage run(ApplicationSettings application, Path file) throws Exception {
    return Objects.requireNonNull(status(application, file).tables());
  }

  private Status status(ApplicationSettings application, Path file) throws Exception {
    Path work = folder.resolve("work");
    String servers = broker.bootstrapServers();
    return FileRun.run(application, work, servers, file, Long.MAX_VALUE, new FakeMonitor())
        .view()
        .learners()
        .get(0)
        .status();
  }

  private ModelStore models() {
    return new ModelStore(folder.resolve("work").resolve("models"), InstantSource.system());
  }

  /** Share of the users whose liking the model in service knows. */
  private double known(int firstUser) throws Exception {
    ModelStore models = models();
    try (Dl4jModel model =
        new Dl4jModelLoader().load(models, models.current(name, 0).orElseThrow())) {
      return known(model, firstUser, firstUser + USERS);
    }
  }

  private double known(Dl4jModel model, int firstUser, int end) throws Exception {
    int right = 0;
    for (int user = firstUser; user < end; user++) {
      Sample sample = sample(model.spec().schema(), prefix + user);
      right += model.predict(List.of(sample))[0][user % 2] > 0.5 ? 1 : 0;
    }
    return (double) right / (end - firstUser);
  }

  /** A sample of a user without tags, as a model's schema has it. */
  private static Sample sample(SampleSchema schema, String user) throws Exception {
    String event =
        schema.dense().isEmpty()
            ? "{\"user\":\"%s\"}".formatted(user)
            : "{\"user\":\"%s\",\"noise\":0.5}".formatted(user);
    return new JsonSampleDecoder(schema).decode(event.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * A process that sees the models over HTTP only follows a learner's runs. The tables have a fixed
   * size, and users of the second run are out of range.
   */
  @Test
  void run_twiceWithTablesOfFixedSize_isFollowedOverHttp() throws Exception {
    prefix = "";
    ApplicationSettings application = application(fixed(ROWS), "");
    Path published = folder.resolve("work").resolve("models");
    ModelServerSettings settings =
        ModelServerSettings.of(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, false, null);
    List<String> refusals = Collections.synchronizedList(new ArrayList<>());
    try (ModelServer server = ModelServer.start(ModelStore.confined(published), settings);
        HttpModelSource http = new HttpModelSource(HttpModelSettings.of(server.address(), null));
        ModelSubscriber<Dl4jModel> subscriber =
            new ModelSubscriber<>(
                new ModelSubscriber.Subscription(
                    new ModelReader(http), name, 0, Duration.ofMillis(20)),
                new Dl4jModelLoader(),
                InstantSource.system())) {
      subscriber.start(null, refusals::add);
      RowUsage first = run(application, events("first.csv", 2_000, 1, 0));
      assertThat(first.outOfRange()).isZero();
      assertThat(first.rows()).as("tags share rows").isBetween(USERS + 350L, USERS + 501L);
      RowUsage second = run(application, events("second.csv", 2_000, 2, USERS));
      // Half of the events.
      assertThat(second.outOfRange()).isBetween(900L, 1_100L);
      assertThat(second.rows()).isBetween(ROWS + 400L, ROWS + 501L);
      assertThat(second.refused()).isZero();
      ModelStore store = new ModelStore(published, InstantSource.system());
      String newest = store.current(name, 0).orElseThrow().digest();
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> subscriber.current().filter(it -> it.digest().equals(newest)).isPresent());
      try (ModelLease<Dl4jModel> lease = subscriber.acquire()) {
        assertThat(known(lease.model(), 0, ROWS)).isGreaterThan(0.85);
        assertThat(known(lease.model(), USERS, 2 * USERS)).isEqualTo(known(USERS));
        assertEqualPredictions(lease.model(), store, ROWS);
      }
    }
    assertThat(refusals).isEmpty();
  }

  /**
   * Asserts that plain Java predicts equal values from the files, also with rows in a mapped file,
   * and gives one answer for all users out of range.
   *
   * @param rows number of rows of users
   */
  private void assertEqualPredictions(Dl4jModel served, ModelStore store, int rows)
      throws Exception {
    PlainModel plain = new PlainModelLoader().load(store, store.current(name, 0).orElseThrow());
    PlainModelLoader mapping =
        new PlainModelLoader().mappingRowsIn(RowsFolder.open(folder.resolve("rows")));
    PlainModel mapped = mapping.load(store, store.current(name, 0).orElseThrow());
    double[] outOfRange = plain.predict(sample(plain.spec().schema(), "fred"));
    for (int user = 0; user < 2 * USERS; user++) {
      Sample sample = sample(plain.spec().schema(), Integer.toString(user));
      double[] answer = plain.predict(sample);
      assertThat(answer).containsExactly(served.predict(List.of(sample))[0], within(1e-5));
      assertThat(Arrays.equals(answer, outOfRange)).isEqualTo(user >= rows);
      assertThat(mapped.predict(sample)).isEqualTo(answer);
    }
    mapping.dispose(mapped);
    assertThat(folder.resolve("rows")).isEmptyDirectory();
  }

  /** One table by number and one by hash, for networks without a wide part. No row is hot. */
  @ParameterizedTest
  @ValueSource(strings = {"mlp, hidden: [16]", "dlrm, bottom: [8], top: [16]"})
  void run_twiceWithTablesOfFixedSize_learnsWhatIdsTellAndServesIt(String network)
      throws Exception {
    prefix = "";
    model = network;
    numbers = true;
    memory = "fast-bytes: 64KiB, policy: simple";
    ApplicationSettings application = application(fixed(2 * USERS), "");
    RowUsage first = run(application, events("first.csv", 2_000, 1, 0));
    assertThat(first.rows()).isBetween(USERS + 350L, USERS + 501L);
    assertThat(known(0)).isGreaterThan(0.9);
    RowUsage second = run(application, events("second.csv", 2_000, 2, USERS));
    assertThat(second.hits()).isZero();
    assertThat(second.misses()).isPositive();
    assertThat(second.rows()).isBetween(2 * USERS + 400L, 2 * USERS + 501L);
    assertThat(second.outOfRange()).isZero();
    assertThat(known(USERS)).isGreaterThan(0.9);
    assertThat(known(0)).as("rows that the second run did not touch").isGreaterThan(0.8);
    ModelStore models = models();
    try (Dl4jModel served =
        new Dl4jModelLoader().load(models, models.current(name, 0).orElseThrow())) {
      assertEqualPredictions(served, models, 2 * USERS);
    }
  }

  @Test
  void run_twice_learnsWhatIdsTellAndServesIt() throws Exception {
    ApplicationSettings application = application();
    RowUsage first = run(application, events("first.csv", 2_000, 1, 0));
    assertThat(first.rows()).isBetween(900L, 1_100L);
    assertThat(first.hotRows()).as("64 KiB do not hold them all").isLessThan(first.rows());
    assertThat(first.misses()).isPositive();
    assertThat(known(0)).isGreaterThan(0.9);

    RowUsage second = run(application, events("second.csv", 2_000, 2, USERS));
    assertThat(second.rows()).isGreaterThanOrEqualTo(first.rows() + USERS);
    assertThat(known(USERS)).isGreaterThan(0.9);
    assertThat(known(0)).as("rows that the second run did not touch").isGreaterThan(0.8);
    ModelStore models = models();
    ModelManifest newest = models.current(name, 0).orElseThrow().manifest();
    assertThat(newest.attributes()).containsKey(ModelManifest.ROWS);
  }

  /**
   * What rows were is in the savepoint between the runs. However fast events come and updates
   * train, samples follow each update but the last, and every version is kept.
   */
  @Test
  void run_twiceWithAReleaseGate_comparesAndPublishes() throws Exception {
    updates = ", max-batch: 200";
    ApplicationSettings application =
        application(
            "",
            "publishing: {keep: 100, gate: {action: hold, after-publishing: roll-back, samples: 50,"
                + " wait: 2s, continue-from: in-service}}");
    run(application, events("first.csv", 2_000, 1, 0));
    long compared = compared();
    assertThat(compared).isPositive();
    run(application, events("second.csv", 2_000, 2, USERS));
    assertThat(compared()).isGreaterThan(compared);
    assertThat(known(USERS)).isGreaterThan(0.9);
    assertThat(known(0)).as("rows that the second run did not touch").isGreaterThan(0.8);
  }

  /** Versions of the folder that were compared with one before. */
  private long compared() throws Exception {
    ModelStore models = models();
    return models.list(name, 0).stream()
        .filter(each -> each.manifest().counts().getOrDefault("comparedSamples", 0L) > 0)
        .mapToLong(each -> each.manifest().version())
        .max()
        .orElse(0);
  }

  private Path onceEach(String name, String tag) throws Exception {
    StringBuilder text = new StringBuilder();
    for (int user = 0; user < USERS; user++) {
      text.append("user-%d,%s,%d%n".formatted(user, tag, user % 2));
    }
    return Files.writeString(folder.resolve(name), text);
  }

  /** The filter is in the savepoint between the runs. */
  @Test
  void run_idsThatComeOnceInEachOfTwoRuns_areCountedAcrossThem() throws Exception {
    ApplicationSettings application =
        application(", admit-after: 2, admission-counter: bloom, expected-ids: 5000", "");
    RowUsage first = run(application, onceEach("first.csv", "t1"));
    assertThat(first.rows()).as("t1, and users by mistake").isBetween(1L, 1L + USERS / 20);
    assertThat(first.filterBytes()).isPositive();
    assertThat(first.counted()).isZero();
    RowUsage second = run(application, onceEach("second.csv", "t2"));
    assertThat(second.rows()).isEqualTo(2L + USERS);
  }

  /** With less DRAM than the log of the run before has rows, with none, with all. */
  @Test
  void run_againWithOtherFastBytesAndPolicies_goesOnWithItsRows() throws Exception {
    memory = "fast-bytes: 4MiB";
    RowUsage before = run(application(), events("first.csv", 1_000, 1, 0));
    assertThat(before.hotRows())
        .as("with those of missing values")
        .isGreaterThanOrEqualTo(before.rows());
    assertThat(known(0)).isGreaterThan(0.9);
    int run = 2;
    for (String other :
        List.of(
            "fast-bytes: 64KiB, policy: dynamic",
            "fast-bytes: 64KiB, policy: simple",
            "fast-bytes: 4MiB, policy: static")) {
      memory = other;
      RowUsage after = run(application(), events("more-" + run + ".csv", 200, run, USERS));
      assertThat(after.rows()).as(other).isGreaterThanOrEqualTo(before.rows());
      assertThat(known(0)).as("rows of the first run, with " + other).isGreaterThan(0.8);
      before = after;
      run++;
    }
  }

  /**
   * Ids of an unknown producer: each is learned, out of range, or a malformed event, and none is
   * fatal.
   */
  @Test
  void run_idsOfAllKinds_areRowsOrCountedOrMalformed() throws Exception {
    model = "mlp, hidden: [8]";
    Path file = folder.resolve("any.yaml");
    Files.writeString(
        file,
        """
        name: %s
        input:
          format: json
          ids: [user, {name: tags, at-most: 5}]
          label: liked
          classes: 2
        model: {type: mlp, hidden: [8]}
        embeddings:
          dim: 4
          tables:
            - {name: users, features: [user], rows: 10, index: number}
        update: {rule: count, count: 10}
        """
            .formatted(name));
    List<String> outOfRange =
        List.of(
            "-1",
            "10",
            "1.5",
            "1e3",
            "\"NaN\"",
            "\"Infinity\"",
            "\" 3\"",
            "\"\u0663\"",
            "1e400",
            "true");
    List<String> missing = List.of("null", "\"\"", "[]");
    List<String> malformed =
        List.of(
            "NaN",
            "{\"a\":1}",
            "[1,2]",
            "\"" + "x".repeat(1 << 20) + "\"",
            "[" + "7,".repeat(999_999) + "7]");
    StringBuilder text = new StringBuilder();
    for (List<String> some : List.of(outOfRange, missing, malformed)) {
      for (String user : some) {
        text.append(
            "{\"user\":%s,\"tags\":[\"n%d\"],\"liked\":1}%n".formatted(user, text.length()));
      }
    }
    text.append("{\"user\":1,\"tags\":[%s7],\"liked\":1}%n".formatted("7,".repeat(999_999)));
    for (int user = 0; user < 10; user++) {
      text.append("{\"user\":%d,\"tags\":[-5,1e99,\"\"],\"liked\":0}%n".formatted(user));
    }
    Path events = Files.writeString(folder.resolve("any.json"), text);
    ApplicationSettings application = ApplicationFileReader.read(file, variable -> null);
    Status status = status(application, events);
    assertThat(status.samples().malformed()).isEqualTo(malformed.size() + 1L);
    RowUsage tables = Objects.requireNonNull(status.tables());
    assertThat(tables.outOfRange()).isEqualTo(outOfRange.size());
    assertThat(tables.rows())
        .as("10 users, and a tag for each event that is well-formed but -5 and 1e99 of all others")
        .isEqualTo(10L + outOfRange.size() + missing.size() + 2);
  }
}
