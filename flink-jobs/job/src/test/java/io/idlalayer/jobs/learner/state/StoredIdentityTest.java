package io.idlalayer.jobs.learner.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.learner.FakeLearnerState;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A changed application file on state that was made with another one. */
public final class StoredIdentityTest {
  public static final String BEFORE =
      """
      name: app
      partitions: 2
      input:
        format: csv
        columns: [id, at, a, b, c, site, y]
        features: [a, {name: b, scale: 2}, c]
        categorical: [{name: site, buckets: 16}]
        label: y
        classes: ["no", "yes"]
        id: id
      model: {hidden: [8, 4]}
      training: {learning-rate: 0.1}
      """;

  @TempDir Path folder;

  private ApplicationSettings read(String text) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), text);
  }

  public static Stream<Arguments> changes() {
    return Stream.of(
        change(
            "[\"no\", \"yes\"]",
            "[\"never\", \"ever\"]",
            "input.classes: [no, yes] before, [never, ever] now\n"
                + "  input.classes: none of the classes from before is left"),
        change(
            "[\"no\", \"yes\"]",
            "[\"no\", \"Yes\"]",
            "input.classes: [no, yes] before, [no, Yes] now\n"
                + "  input.classes: a class is identified by its text"),
        change(
            "scale: 2",
            "scale: 3",
            "input.features: [a, {name: b, width: 1, scale: 2.0}, c] before,"
                + " [a, {name: b, width: 1, scale: 3.0}, c] now\n"
                + "  input.features: scale of b: 2.0 before, 3.0 now: stored samples have"),
        change(
            "{name: b, scale: 2}",
            "{name: b, scale: 2, missing: mean, missing-indicator: true}",
            "input.features: b is read in another way"),
        change(
            "buckets: 16",
            "buckets: 32",
            "input.categorical: buckets of site: 16 before, 32 now: stored samples have the bucket"
                + " of a value and not the value"),
        change(
            "hidden: [8, 4]",
            "hidden: [8, 4], standardize: false",
            "model.standardize: true before, false now"),
        change(
            "format: csv",
            "topic: other\n  format: csv",
            "input.topic: app-samples before, other now"),
        change("partitions: 2", "partitions: 1", "partitions: 2 before, 1 now"),
        change("partitions: 2", "partitions: 3", "partitions: 2 before, 3 now"),
        change(
            "format: csv\n  columns: [id, at, a, b, c, site, y]",
            "format: json",
            """
            input.columns: [id, at, a, b, c, site, y] before, none now
              input.delimiter: "," before, none now
              input.format: csv before, json now\
            """),
        change(
            "format: csv",
            "format: csv\n  delimiter: \";\"",
            "input.delimiter: \",\" before, \";\" now"),
        change("[id, at, a, b, c, site, y]", "[id, at, b, a, c, site, y]", "input.columns: "),
        change("hidden: [8, 4]", "hidden: [8]", "model.hidden: [8, 4] before, [8] now"),
        change("label: y", "label: at", "input.label: y before, at now"),
        change("  id: id\n", "", "input.id: id before, none now"),
        change("id: id", "id: site", "input.id: id before, site now"),
        change(
            "classes: [\"no\", \"yes\"]",
            "task: regression",
            "input.classes: [no, yes] before, [] now\n"
                + "  input.task: classification before, regression now"),
        change("learning-rate: 0.1", "updater: sgd", "training.updater: adam before, sgd now"));
  }

  private static Arguments change(String from, String to, String says) {
    assertThat(BEFORE).contains(from);
    return Arguments.of(BEFORE.replace(from, to), says);
  }

  /** Rows of the state belong to the tables that they were trained in. */
  private static final String WITH_TABLES =
      """
      name: app
      input:
        format: csv
        columns: [user, shop, y]
        ids: [user, shop]
        label: y
        classes: 2
      model: {hidden: [8]}
      embeddings:
        dim: 4
        tables:
          - {name: shops, features: [shop], rows: 5000, index: number}
      """;

  public static Stream<Arguments> changesOfTables() {
    return Stream.of(
        changeOfTables(
            "rows: 5000",
            "rows: 6000",
            "rows: 6000, index: number, features: [shop]}, {name: user"),
        changeOfTables(
            "rows: 5000",
            "rows: 4000",
            "rows: 4000, index: number, features: [shop]}, {name: user"),
        changeOfTables(
            "index: number",
            "index: hash",
            "rows: 5000, index: hash, features: [shop]}, {name: user"),
        changeOfTables(", rows: 5000, index: number", "", "embeddings.tables: "),
        changeOfTables(
            "dim: 4",
            "dim: 8",
            "embeddings.tables: dim of shops: 4 before, 8 now: the learned rows"),
        changeOfTables("dim: 4", "dim: 4\n  updater: adam", "embeddings.updater: "),
        changeOfTables(
            "features: [shop]",
            "features: [shop, user]",
            "the ids of user would find other rows, because rows, index or id-key has changed"));
  }

  public static Stream<Arguments> changesOfIds() {
    return Stream.of(
        changeOfTables("ids: [user, shop]", "ids: [shop, user]", "other order of features"),
        changeOfTables(
            "[user, shop, y]\n  ids: [user, shop]",
            "[user, shop, item, y]\n  ids: [item, user, shop]",
            "added feature item"),
        changeOfTables(
            "[user, shop, y]\n  ids: [user, shop]",
            "[shop, y]\n  ids: [shop]",
            "removed feature user"),
        changeOfTables(
            "ids: [user, shop]",
            "ids: [user, {name: shop, at-most: 4}]",
            "at most 4 instead of 1 ids in shop"),
        changeOfTables(
            "  ids: [user, shop]\n  label: y\n  classes: 2",
            "  ids: [user, shop]\n  label: y\n  classes: 3",
            "added class 2"));
  }

  /** Tables come and go with the features that use them. */
  @ParameterizedTest
  @MethodSource("changesOfIds")
  void require_otherIds_isAChange(String text, String says) throws Exception {
    LearnerState state = new FakeLearnerState();
    StoredIdentity.require(state, read(WITH_TABLES));
    IdentityChange change = StoredIdentity.require(state, read(text));
    assertThat(change.changes()).isEqualTo(says);
    ModelSpec before = read(WITH_TABLES).model();
    assertThat(change.before().schema()).isEqualTo(before.schema());
    assertThat(change.before().embeddings().tables()).isEqualTo(before.embeddings().tables());
    StateConversion.convert(state, change, read(text), List.of());
    assertThat(StoredIdentity.require(state, read(text)).isNone()).isTrue();
  }

  /** A model without tables gets some. */
  @Test
  void require_firstIds_areAChange() throws Exception {
    LearnerState state = new FakeLearnerState();
    String plain = BEFORE.replace("hidden: [8, 4]", "hidden: [8, 4], members: 1");
    StoredIdentity.require(state, read(plain));
    String ids = plain.replace("label: y", "ids: [at]\n  label: y") + "embeddings: {dim: 4}\n";
    IdentityChange change = StoredIdentity.require(state, read(ids));
    assertThat(change.changes()).isEqualTo("added feature at");
    StateConversion.convert(state, change, read(ids), List.of());
    assertThat(StoredIdentity.require(state, read(plain)).changes())
        .isEqualTo("removed feature at");
  }

  private static Arguments changeOfTables(String from, String to, String says) {
    assertThat(WITH_TABLES).contains(from);
    return Arguments.of(WITH_TABLES.replace(from, to), says);
  }

  @ParameterizedTest
  @MethodSource("changesOfTables")
  void require_otherTables_isRefusedKeyByKey(String text, String says) throws Exception {
    LearnerState state = new FakeLearnerState();
    StoredIdentity.require(state, read(WITH_TABLES));
    ApplicationSettings now = read(text);
    assertThatThrownBy(() -> StoredIdentity.require(state, now))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining(says)
        .hasMessageContaining("--start-over");
  }

  /** What says where rows are, and which of them stay, may change from start to start. */
  @Test
  void require_otherMemoryAndCaps_isTaken() throws Exception {
    LearnerState state = new FakeLearnerState();
    StoredIdentity.require(state, read(WITH_TABLES));
    StoredIdentity.require(
        state,
        read(
            WITH_TABLES
                + "  most-rows: 100\n  admit-after: 3\n  expire-unused-after: 1d\n"
                + "memory: {rows: {fast-bytes: 1MiB, slow-bytes: 64MiB, policy: dynamic}}\n"));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void require_changedFile_isRefusedKeyByKey(String text, String says) throws Exception {
    LearnerState state = new FakeLearnerState();
    StoredIdentity.require(state, read(BEFORE));
    StoredIdentity.require(state, read(BEFORE));
    ApplicationSettings now = read(text);
    assertThatThrownBy(() -> StoredIdentity.require(state, now))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining(says)
        .hasMessageContaining("app: the application file differs from the one its state was made")
        .hasMessageContaining("--start-over");
    StoredIdentity.require(state, read(BEFORE));
  }

  public static Stream<Arguments> changesOfFeatures() {
    return Stream.of(
        change(
            "[a, {name: b, scale: 2}, c]",
            "[c, {name: b, scale: 2}, a]",
            "other order of features"),
        change("[a, {name: b, scale: 2}, c]", "[a, {name: b, scale: 2}]", "removed feature c"),
        change(
            "[a, {name: b, scale: 2}, c]", "[at, a, {name: b, scale: 2}, c]", "added feature at"),
        change(
            "c, site, y]\n  features: [a, {name: b, scale: 2}, c]",
            "new, c, site, y]\n  features: [new, {name: b, scale: 2}, c]",
            "added feature new; removed feature a"),
        change("  categorical: [{name: site, buckets: 16}]\n", "", "removed feature site"),
        change(
            "{name: b, scale: 2}",
            "{name: b, scale: 2, missing: mean, missing-values: [NA]}",
            "other missing values of b"),
        change(
            "[{name: site, buckets: 16}]",
            "[{name: at, buckets: 4}, {name: site, buckets: 16}]",
            "added feature at"),
        change("[\"no\", \"yes\"]", "[\"yes\", \"no\"]", "other order of classes"),
        change("[\"no\", \"yes\"]", "[\"perhaps\", \"no\", \"yes\"]", "added class perhaps"),
        change(
            "[id, at, a, b, c, site, y]",
            "[id, a, b, c, site, extra, y]",
            "other columns in a row"));
  }

  /** What is there of the features may change, and the state is not of the new ones until then. */
  @ParameterizedTest
  @MethodSource("changesOfFeatures")
  void require_otherFeatures_isAChange(String text, String says) throws Exception {
    LearnerState state = new FakeLearnerState();
    StoredIdentity.require(state, read(BEFORE));
    IdentityChange change = StoredIdentity.require(state, read(text));
    assertThat(change.changes()).isEqualTo(says);
    assertThat(change.refusals()).isEmpty();
    assertThat(change.before()).isEqualTo(read(BEFORE).model());
    assertThat(StoredIdentity.require(state, read(BEFORE)).isNone()).isTrue();
    StateConversion.convert(state, change, read(text), List.of());
    assertThat(StoredIdentity.require(state, read(text)).isNone()).isTrue();
  }

  @Test
  void require_featuresAndAnotherKey_namesTheOtherKeyOnly() throws Exception {
    LearnerState state = new FakeLearnerState();
    StoredIdentity.require(state, read(BEFORE));
    ApplicationSettings now =
        read(
            BEFORE.replace("scale: 2}, c]", "scale: 2}]").replace("hidden: [8, 4]", "hidden: [8]"));
    assertThatThrownBy(() -> StoredIdentity.require(state, now))
        .hasMessageContaining("model.hidden: [8, 4] before, [8] now")
        .satisfies(it -> assertThat(it.getMessage()).doesNotContain("input.features: "));
  }

  @Test
  void identity_longLists_areShortAndSayWhereTheyDiffer() throws Exception {
    String wide =
        BEFORE
            .replace("a, b, c", "f1..f5000")
            .replace("[a, {name: b, scale: 2}, c]", "[f1..f5000]");
    SettingsIdentity many = SettingsIdentity.of(read(wide));
    assertThat(many.json()).hasSizeLessThan(1_000).contains("\"from\":\"f1\",\"to\":\"f5000\"");
    assertThat(SettingsIdentity.parse(many.json()).differences(many)).isEmpty();
    assertThat(SettingsIdentity.parse(many.json()).digest()).isEqualTo(many.digest());
    assertThat(many.schemaLike(read(wide).input().schema())).isEqualTo(read(wide).input().schema());
    SettingsIdentity fewer = SettingsIdentity.of(read(wide.replace("[f1..f5000]", "[f1..f4000]")));
    assertThat(many.differences(fewer))
        .containsExactly("input.features: [f1..f5000] before, [f1..f4000] now");
    StringBuilder words = new StringBuilder("x0x");
    for (int i = 1; i < 300; i++) {
      words.append(", x").append(i).append('x');
    }
    String classes = BEFORE.replace("\"no\", \"yes\"", words);
    SettingsIdentity first = SettingsIdentity.of(read(classes));
    SettingsIdentity second = SettingsIdentity.of(read(classes.replace("x250x", "other")));
    assertThat(first.differences(second))
        .singleElement()
        .asString()
        .startsWith("input.classes: [... 250 more, x250x, x251x")
        .contains("now", "[... 250 more, other, x251x")
        .hasSizeLessThan(500);
  }
}
