package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.recovery.HashKeyFile;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.modelruntime.input.ChainedRows;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 of a run with tables, whose rows are partly in DRAM: in the end each id has its row, each
 * event has trained once, and all versions have their rows. {@code -Didlalayer.kills=10
 * -Didlalayer.kill.seconds=150} for the long form.
 */
final class KillNineTablesIT {
  private static final int RATE = 800;
  private static final int EVENTS = Integer.getInteger("idlalayer.kill.seconds", 20) * RATE;
  private static final int USERS = 3_000;
  private static final int TAGS = 2_000;
  private static final int MOST_LOOKS = 900;

  /** Columns of the predictions of two classes. */
  private static final int PROBABILITY = 7;

  private static final int REASON = 11;

  @TempDir Path folder;

  private Path application() throws Exception {
    return Files.writeString(
        folder.resolve("likes.yaml"),
        """
        name: likes
        input:
          format: csv
          columns: [user, tag, noise, liked]
          features: [noise]
          ids: [user, tag]
          label: liked
          classes: 2
        model: {type: wide-and-deep}
        embeddings:
          dim: 8
          tables: [{name: users, features: [user], rows: 3000, index: number}]
        memory: {rows: {fast-bytes: 128KiB}}
        update: {rule: count, count: 500}
        """);
  }

  private Path events(Set<String> users, Set<String> tags) throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      int user = (int) (USERS * Math.pow(random.nextDouble(), 2));
      String tag = "t" + random.nextInt(TAGS);
      users.add(Integer.toString(user));
      tags.add(tag);
      // The number makes each event another one.
      text.append("%d,%s,%d,%d%n".formatted(user, tag, i, user % 2));
    }
    return Files.writeString(folder.resolve("events.csv"), text);
  }

  private static IdLists ids(String user, String tag, HashKey key) {
    return IdLists.single(RowIndex.number(USERS).keyOf(user), RowIndex.OPEN.with(key).keyOf(tag));
  }

  @Test
  void killNine_losesNoRowAndTearsNoVersion() throws Exception {
    Set<String> users = new TreeSet<>();
    Set<String> tags = new TreeSet<>();
    Path work = folder.resolve("work");
    Path log = folder.resolve("log");
    Path report = folder.resolve("report.json");
    Path predictions = folder.resolve("predictions.csv");
    Path file = application();
    String[] command = {
      "run",
      file.toString(),
      "--input",
      events(users, tags).toString(),
      "--rate",
      "" + RATE,
      "--work-dir",
      work.toString(),
      "--report",
      report.toString(),
      "--predictions",
      predictions.toString()
    };
    int kills = Integer.getInteger("idlalayer.kills", 1);
    SplittableRandom random = new SplittableRandom(Long.getLong("idlalayer.kill.seed", 5));
    for (int kill = 0; kill < kills; kill++) {
      Process process = ChildRun.start(log, command);
      // A checkpoint comes every ten seconds; a start takes a few.
      long millis = 4_000L + random.nextInt(kill == 0 ? 3_000 : 12_000);
      boolean ended = process.waitFor(millis, TimeUnit.MILLISECONDS);
      // The last kill comes after a checkpoint, the first one of several before.
      for (int i = 0;
          i < MOST_LOOKS && kill == kills - 1 && !ended && !KillNineIT.checkpointed(work);
          i++) {
        ended = process.waitFor(200, TimeUnit.MILLISECONDS);
      }
      assertThat(ended).as(ChildRun.tail(log)).isFalse();
      process.destroyForcibly().waitFor();
    }
    Process last = ChildRun.start(log, command);
    assertThat(last.waitFor(300, TimeUnit.SECONDS)).as(ChildRun.tail(log)).isTrue();
    assertThat(last.exitValue()).as(ChildRun.tail(log)).isZero();
    assertThat(Files.readString(log)).contains("continuing from");

    JsonNode said = new ObjectMapper().readTree(report.toFile());
    assertThat(said.at("/samples/received").asLong()).isEqualTo(EVENTS);
    assertThat(said.at("/balance/holds").asBoolean()).isTrue();
    assertThat(said.get("trainedNewSamples").asLong()).isEqualTo(EVENTS);
    assertThat(said.at("/tables/rows").asLong()).isEqualTo((long) users.size() + tags.size());
    assertThat(said.at("/tables/hotRows").asLong()).isBetween(100L, 2_500L);

    assertPredictions(predictions, said.get("prequential"));
    assertThat(said.at("/start/from").asText()).contains("chk-");
    assertThat(said.at("/start/bytes").asLong()).isGreaterThan(100_000);
    assertThat(said.at("/start/seconds").asDouble()).isPositive();
    assertThat(said.at("/savepoint/bytes").asLong()).isGreaterThan(100_000);

    ApplicationSettings settings = ApplicationFileReader.read(file, variable -> null);
    EmbeddingPlan plan = EmbeddingPlans.of(settings.model());
    ModelStore store = new ModelStore(work.resolve("models"), InstantSource.system());
    assertThat(store.problems("likes", 0)).isEmpty();
    ModelCheckpoint newest = store.current("likes", 0).orElseThrow();
    LoadRequest<ServedRows> request = LoadRequest.of(store, newest, null);
    ServedRows served = ChainedRows.read(request, plan, Optional::of, null);
    float[] columns = new float[plan.width()];
    HashKey key = HashKeyFile.open(work);
    String anyUser = users.iterator().next();
    String anyTag = tags.iterator().next();
    for (String user : users) {
      served.fill(ids(user, anyTag, key), columns, 0);
    }
    for (String tag : tags) {
      served.fill(ids(anyUser, tag, key), columns, 0);
    }
    assertThat(served.unknownIds()).isZero();
  }

  /** Each event has one row, and the rows have the log loss of the report. */
  private static void assertPredictions(Path file, JsonNode quality) throws IOException {
    List<String[]> rows =
        Files.readAllLines(file).stream().skip(1).map(line -> line.split(",", -1)).toList();
    assertThat(rows)
        .extracting(row -> row[0] + "-" + row[1])
        .hasSize(EVENTS)
        .doesNotHaveDuplicates();
    List<String[]> predicted = rows.stream().filter(row -> row[REASON].isEmpty()).toList();
    assertThat(predicted).hasSize(quality.get("scored").asInt()).isNotEmpty();
    double loss =
        predicted.stream()
            .mapToDouble(row -> -Math.log(Math.max(1e-7, Double.parseDouble(row[PROBABILITY]))))
            .average()
            .orElseThrow();
    assertThat(quality.at("/classification/logLoss").asDouble()).isCloseTo(loss, within(1e-6));
  }
}
