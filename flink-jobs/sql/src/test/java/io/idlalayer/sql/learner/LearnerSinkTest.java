package io.idlalayer.sql.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LearnerSinkTest {
  private static final UniqueConstraint KEY = UniqueConstraint.primaryKey("key", List.of("id"));

  @TempDir Path folder;

  private LearnerSink sink(String input, UniqueConstraint key, DataTypes.Field... columns)
      throws IOException {
    Path file = folder.resolve("app.yaml");
    Files.writeString(file, "name: app\ninput: {%s}\nmodel: {type: mlp}\n".formatted(input));
    return LearnerSink.of(
        Configuration.fromMap(Map.of("application", file.toString())), DataTypes.ROW(columns), key);
  }

  private static DataTypes.Field column(String name, DataType type) {
    return DataTypes.FIELD(name, type);
  }

  private ChangelogMode mode(boolean id, UniqueConstraint key) throws IOException {
    DataTypes.Field x = column("x", DataTypes.DOUBLE());
    DataTypes.Field label = column("label", DataTypes.STRING());
    String input = "features: [x], label: label, classes: [a, b]";
    LearnerSink sink =
        id
            ? sink(input + ", id: id", key, column("id", DataTypes.BIGINT()), x, label)
            : sink(input, null, x, label);
    return sink.getChangelogMode(ChangelogMode.all());
  }

  @Test
  void getChangelogMode_withoutAnId_takesInsertsOnly() throws Exception {
    assertThat(mode(false, null)).isEqualTo(ChangelogMode.insertOnly());
  }

  @Test
  void getChangelogMode_withAnId_takesAllChanges() throws Exception {
    assertThat(mode(true, null)).isEqualTo(ChangelogMode.all());
  }

  @Test
  void getChangelogMode_withTheIdAsKey_needsNoOldRows() throws Exception {
    ChangelogMode mode = mode(true, KEY);
    assertThat(mode.getContainedKinds())
        .containsExactlyInAnyOrder(RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE);
    assertThat(mode.keyOnlyDeletes()).isTrue();
  }

  @Test
  void of_columnsOfAllKinds_areTaken() throws Exception {
    LearnerSink sink =
        sink(
            "features: [x, truth, text, {name: wide, width: 2}, {name: at, time: [hour]}],"
                + " categorical: [{name: site, buckets: 4}], label: label, classes: [a, b], id: id,"
                + " weight: weight",
            KEY,
            column("id", DataTypes.STRING()),
            column("x", DataTypes.DECIMAL(10, 2)),
            column("truth", DataTypes.BOOLEAN()),
            column("text", DataTypes.STRING()),
            column("wide", DataTypes.ARRAY(DataTypes.FLOAT())),
            column("at", DataTypes.TIMESTAMP_LTZ(3)),
            column("site", DataTypes.INT()),
            column("label", DataTypes.CHAR(1)),
            column("weight", DataTypes.FLOAT()));
    assertThat(sink.fields().columns()).hasSize(9);
  }

  @Test
  void of_typesThatNoFieldHas_areRefusedWithWhatToDo() {
    assertThatThrownBy(
            () ->
                sink(
                    "features: [x, {name: wide, width: 2}],"
                        + " categorical: [{name: site, buckets: 4}], label: label,"
                        + " classes: [a, b], id: id",
                    KEY,
                    column("id", DataTypes.DOUBLE()),
                    column("x", DataTypes.TIMESTAMP(3)),
                    column("wide", DataTypes.DOUBLE()),
                    column("site", DataTypes.DECIMAL(3, 1)),
                    column("label", DataTypes.BYTES())))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining(
            "column 'id' is DOUBLE, and the field is the id: declare it as STRING or BIGINT, and cast it in the query")
        .hasMessageContaining("column 'x' is TIMESTAMP(3), and the field is a number")
        .hasMessageContaining(
            "column 'wide' is DOUBLE, and the field is a number, 2 of them: declare it as ARRAY<DOUBLE>")
        .hasMessageContaining("column 'site' is DECIMAL(3, 1), and the field is a category")
        .hasMessageContaining("column 'label' is BYTES, and the field is the label");
  }

  @Test
  void of_keyWithoutAnId_isRefused() {
    assertThatThrownBy(
            () ->
                sink(
                    "features: [x], label: label, classes: [a, b]",
                    UniqueConstraint.primaryKey("key", List.of("x")),
                    column("x", DataTypes.DOUBLE()),
                    column("label", DataTypes.STRING())))
        .hasMessageContaining("PRIMARY KEY (x): the application names no input.id");
  }
}
