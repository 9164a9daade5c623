package io.idlalayer.sql.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables that learn, in real queries of Flink SQL. */
final class LearnInSqlIT {
  private static final Pattern SET = Pattern.compile("SET '([^']+)' = '([^']+)'");

  /** Folder for the clusters of all queries, which end a little later than the queries. */
  @TempDir static Path flink;

  @TempDir Path folder;
  private TableEnvironment tables;

  @BeforeEach
  void open() {
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
    tables.getConfig().set("table.dml-sync", "true");
  }

  private ModelManifest newest(String application) throws IOException {
    List<ModelCheckpoint> versions =
        new ModelStore(folder, InstantSource.system()).list(application, 0);
    return versions.get(versions.size() - 1).manifest();
  }

  private void createLearner(String columns, String input) throws IOException {
    createLearner(columns, input, "");
  }

  private void createLearner(String columns, String input, String options) throws IOException {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        input: {%s}
        model: {type: mlp, hidden: [4]}
        update: {rule: count, count: 100}
        """
            .formatted(input));
    tables.executeSql(
        "CREATE TEMPORARY TABLE learner (%s) WITH ('connector' = 'idla', 'application' = '%s', 'models' = '%s'%s)"
            .formatted(columns, file, folder, options));
  }

  @Test
  void theExample_learnsServesAndEvaluates() throws Exception {
    String[] statements =
        Files.readString(Path.of("../../examples/sql/learn.sql"))
            .replaceAll("(?m)^--.*$", "")
            .replace("idla-work/clicks/models", folder.toString())
            .replace("examples/sql/clicks.yaml", "../../examples/sql/clicks.yaml")
            .split(";", -1);
    List<Row> evaluated = new ArrayList<>();
    for (String each : statements) {
      String statement = each.strip();
      Matcher set = SET.matcher(statement);
      if (set.matches()) {
        tables.getConfig().set(set.group(1), set.group(2));
      } else if (statement.startsWith("SELECT")) {
        try (CloseableIterator<Row> rows = tables.executeSql(statement).collect()) {
          rows.forEachRemaining(evaluated::add);
        }
      } else if (!statement.isEmpty()) {
        tables.executeSql(statement);
      }
    }
    ModelManifest newest = newest("clicks");
    assertThat(newest.counts()).containsEntry("trainedNewSamples", 20_000L);
    assertThat(newest.inputOffsets()).isEmpty();
    Row last = evaluated.get(evaluated.size() - 1);
    assertThat(last.getField(0)).isEqualTo(20_000L);
    assertThat(((BigDecimal) last.getField(1)).doubleValue()).isGreaterThan(0.9);
    assertThat(last.getField(2)).isEqualTo(newest.version());
  }

  private void createSequences() {
    for (String table : List.of("events", "labels")) {
      tables.executeSql(
          "CREATE TEMPORARY TABLE %s (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000', 'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '500')"
              .formatted(table));
    }
  }

  @Test
  void insert_labelsByALeftJoin_areLearnedOnce() throws Exception {
    createLearner(
        "id BIGINT, x DOUBLE, label STRING",
        "features: [x], label: label, classes: [even, odd], id: id");
    createSequences();
    // The row without a label is deleted when the label comes.
    tables.executeSql(
        "INSERT INTO learner SELECT e.id, CAST(e.id AS DOUBLE), CASE WHEN MOD(l.id, 2) = 0 THEN 'even' WHEN MOD(l.id, 2) = 1 THEN 'odd' END FROM events e LEFT JOIN labels l ON e.id = l.id AND l.id > 100");
    assertThat(newest("app").counts()).containsEntry("trainedNewSamples", 400L);
  }

  @Test
  void insert_overModelsWithoutState_isRefusedUnlessStartedOver() throws Exception {
    String columns = "id BIGINT, x DOUBLE, label STRING";
    String input = "features: [x], label: label, classes: [even, odd], id: id";
    String insert =
        "INSERT INTO learner SELECT id, CAST(id AS DOUBLE), CASE WHEN MOD(id, 2) = 0 THEN 'even' ELSE 'odd' END FROM events";
    createSequences();
    createLearner(columns, input);
    tables.executeSql(insert);
    long version = newest("app").version();
    assertThatThrownBy(() -> tables.executeSql(insert))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("connector 'idla': app has published models up to version")
        .hasMessageContaining("'start-over' = 'WORD'");
    tables.executeSql("DROP TEMPORARY TABLE learner");
    createLearner(columns, input, ", 'start-over' = 'monday'");
    assertThat(tables.explainSql(insert)).contains("learner");
    tables.executeSql(insert);
    assertThat(newest("app").version()).isGreaterThan(version);
    assertThat(new ModelStore(folder, InstantSource.system()).list("app", 0))
        .anyMatch(each -> each.manifest().attributes().containsKey("branch"));
  }

  @Test
  void insert_updatedRowsOfAKey_areLearnedOnce() throws Exception {
    createLearner(
        "id BIGINT, x DOUBLE, label STRING, PRIMARY KEY (id) NOT ENFORCED",
        "features: [x], label: label, classes: [even, odd], id: id");
    createSequences();
    tables.executeSql(
        "INSERT INTO learner SELECT id, MAX(x), MAX(label) FROM (SELECT id, CAST(id AS DOUBLE) AS x, CAST(NULL AS STRING) AS label FROM events UNION ALL SELECT id, CAST(NULL AS DOUBLE), CASE WHEN MOD(id, 2) = 0 THEN 'even' ELSE 'odd' END FROM labels) GROUP BY id");
    assertThat(newest("app").counts()).containsEntry("trainedNewSamples", 500L);
  }

  @Test
  void insert_updatesWithoutAnId_areRefused() throws Exception {
    createLearner("x DOUBLE, label STRING", "features: [x], label: label, classes: [a, b]");
    tables.executeSql(
        "CREATE TEMPORARY VIEW updated AS SELECT MAX(x) AS x, label FROM (VALUES (CAST(1 AS DOUBLE), 'a'), (CAST(2 AS DOUBLE), 'b')) AS e (x, label) GROUP BY label");
    assertThatThrownBy(() -> tables.explainSql("INSERT INTO learner SELECT x, label FROM updated"))
        .hasStackTraceContaining("doesn't support consuming update changes");
  }

  @Test
  void insert_tableThatDiffers_isRefusedWithAllDifferences() throws Exception {
    createLearner(
        "x ARRAY<DOUBLE>, z INT, label STRING, PRIMARY KEY (z) NOT ENFORCED",
        "features: [x, y], label: label, classes: [a, b], id: id");
    assertThatThrownBy(
            () ->
                tables.explainSql("INSERT INTO learner VALUES (ARRAY[CAST(1 AS DOUBLE)], 2, 'a')"))
        .isInstanceOf(ValidationException.class)
        .hasStackTraceContaining("column 'x' is ARRAY<DOUBLE>, and the field is a number")
        .hasStackTraceContaining("column 'z' is no field of the application")
        .hasStackTraceContaining("field 'y' (a number) has no column: add it as DOUBLE")
        .hasStackTraceContaining("field 'id' (the id) has no column")
        .hasStackTraceContaining("PRIMARY KEY (z) is not the id of the events");
  }

  @Test
  void insert_inBatchMode_isRefused() throws Exception {
    tables = TableEnvironment.create(EnvironmentSettings.newInstance().inBatchMode().build());
    createLearner("x DOUBLE, label STRING", "features: [x], label: label, classes: [a, b]");
    assertThatThrownBy(
            () -> tables.explainSql("INSERT INTO learner VALUES (CAST(1 AS DOUBLE), 'a')"))
        .hasStackTraceContaining("execution.runtime-mode: streaming");
  }

  @Test
  void insert_applicationFileWithAMistake_isRefusedWithItsLine() {
    assertThatThrownBy(
            () -> {
              createLearner(
                  "x DOUBLE, label STRING", "features: [x], label: label, clases: [a, b]");
              tables.explainSql("INSERT INTO learner VALUES (CAST(1 AS DOUBLE), 'a')");
            })
        .hasStackTraceContaining("app.yaml:2")
        .hasStackTraceContaining("clases");
  }
}
