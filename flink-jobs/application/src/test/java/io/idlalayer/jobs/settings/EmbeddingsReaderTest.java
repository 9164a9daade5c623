package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.NetworkInput;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class EmbeddingsReaderTest {
  private static final String GOOD =
      """
      name: app
      input:
        features: [a]
        ids: [user, item, {name: basket, at-most: 50}]
        label: y
        classes: 2
      """;
  private static final String CRITEO =
      """
      name: app
      input:
        format: criteo-tsv
      """;

  @TempDir Path folder;

  private ApplicationSettings read(String text) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), text);
  }

  private List<String> problems(String text) {
    SettingsException refused = catchThrowableOfType(SettingsException.class, () -> read(text));
    assertThat(refused).as("the file is accepted").isNotNull();
    return refused.problems().stream()
        .map(problem -> problem.line() + ": " + problem.key() + ": " + problem.message())
        .toList();
  }

  @Test
  void read_selectionThatTrainsASecondNetwork_isRefused() {
    assertThat(
            problems(
                GOOD + "embeddings: {}\nselection: {policy: reducible-loss, replay-budget: 9}\n"))
        .singleElement()
        .asString()
        .startsWith("8: selection.policy: ")
        .contains("reducible-loss", "tables of its own");
    assertThat(
            problems(
                GOOD
                    + "embeddings: {}\nselection: {score: fitted, contribution: reducible-loss}\n"))
        .singleElement()
        .asString()
        .contains("selection.contribution", "tables of its own");
  }

  @Test
  void read_idFeatures_nothingIsReplayedUnlessTheFileSaysSo() throws Exception {
    assertThat(read(GOOD + "embeddings: {}\n").data().replay().budget()).isZero();
    assertThat(
            read(GOOD + "embeddings: {}\nselection: {replay-budget: 7}\n").data().replay().budget())
        .isEqualTo(7);
    String plain = GOOD.replaceAll("  ids: .*\n", "");
    assertThat(read(plain).data().replay().budget()).isEqualTo(256);
  }

  @Test
  void read_shortestSection_givesEachFeatureItsTable() throws Exception {
    ApplicationSettings settings = read(GOOD + "embeddings: {}\n");
    assertThat(settings.input().schema().ids())
        .containsExactly(
            new IdFeature("user", 1), new IdFeature("item", 1), new IdFeature("basket", 50));
    assertThat(settings.model().embeddings())
        .isEqualTo(
            new ModelSpec.Embeddings(
                List.of(
                    new ModelSpec.Table("user", 16),
                    new ModelSpec.Table("item", 16),
                    new ModelSpec.Table("basket", 16)),
                List.of(
                    new ModelSpec.Use(0, IdPooling.MEAN),
                    new ModelSpec.Use(1, IdPooling.MEAN),
                    new ModelSpec.Use(2, IdPooling.MEAN)),
                new ModelSpec.RowFit(RowUpdater.ADAGRAD, 0.05, 0.01)));
    assertThat(settings.memory().rows()).isEqualTo(RowSettings.DEFAULT);
    assertThat(settings.model().inputWidth()).isEqualTo(1 + 3 * 16);
  }

  @Test
  void read_allKeys_areTaken() throws Exception {
    ApplicationSettings settings =
        read(
            GOOD
                + """
                embeddings:
                  dim: 8
                  updater: row-wise-adagrad
                  learning-rate: 0.1
                  initial-scale: 0.02
                  pooling: mean
                  tables:
                    - {name: items, dim: 32, features: [basket, item], pooling: sum}
                  admit-after: 3
                  admission-counter: bloom
                  expected-ids: 5000
                  false-admissions: 0.05
                  most-rows: 1000
                  expire-unused-after: 30d
                  expire-rare: {below: 5, unused-for: 2d}
                  expire-small: {below: 0.01, unused-for: 0s}
                model: {type: wide-and-deep, hidden: [8]}
                memory: {rows: {fast-bytes: 1MiB, slow-bytes: 1GiB, policy: dynamic}}
                """);
    assertThat(settings.model().embeddings())
        .isEqualTo(
            new ModelSpec.Embeddings(
                List.of(new ModelSpec.Table("items", 32), new ModelSpec.Table("user", 8)),
                List.of(
                    new ModelSpec.Use(1, IdPooling.MEAN),
                    new ModelSpec.Use(0, IdPooling.SUM),
                    new ModelSpec.Use(0, IdPooling.SUM)),
                new ModelSpec.RowFit(RowUpdater.ROW_WISE_ADAGRAD, 0.1, 0.02)));
    assertThat(settings.memory().rows())
        .isEqualTo(
            new RowSettings(
                1 << 20,
                1L << 30,
                RowPolicyName.DYNAMIC,
                new Admission(3, Admission.Counter.BLOOM, new Admission.Bloom(5_000, 0.05)),
                1000,
                new Expiry(
                    30 * 86_400, new Expiry.Bound(5, 2 * 86_400), new Expiry.Bound(0.01, 0))));
    assertThat(settings.model().network()).isEqualTo(new ModelSpec.Network.WideAndDeep(List.of(8)));
    assertThat(settings.model().standardize()).isTrue();
  }

  @Test
  void read_tablesWithRows_haveThemByHashUnlessTheFileSaysNumber() throws Exception {
    ApplicationSettings settings =
        read(
            GOOD
                + """
                embeddings:
                  tables:
                    - {name: items, features: [item, basket], rows: 1_000_000}
                    - {name: users, features: [user], rows: 1, index: number}
                """);
    List<IdFeature> expected =
        List.of(
            new IdFeature("user", 1, RowIndex.number(1)),
            new IdFeature("item", 1, RowIndex.hash(1_000_000)),
            new IdFeature("basket", 50, RowIndex.hash(1_000_000)));
    assertThat(settings.input().schema().ids()).isEqualTo(expected);
    assertThat(settings.model().schema()).isEqualTo(settings.input().schema());
  }

  @Test
  void read_mixedTables_keepTheLimitsOfTheOpenOnes() throws Exception {
    RowSettings rows =
        read(GOOD
                + "embeddings: {most-rows: 9, tables: [{name: t, features: [user], rows: 4,"
                + " index: hash}]}\n")
            .memory()
            .rows();
    assertThat(rows.mostRows()).isEqualTo(9);
  }

  /** A row of 16 numbers with Adagrad takes 216 bytes; the wide part is two numbers more. */
  @Test
  void read_slowBytesBelowWhatFixedTablesNeed_isRefusedWithTheNumbers() throws Exception {
    String text =
        GOOD
            + "embeddings: {tables: [{name: t, features: [user], rows: 9998}]}\n"
            + "memory: {rows: {slow-bytes: %s}}\n";
    assertThat(read(text.formatted("2160000")).memory().rows().slowBytes()).isEqualTo(2_160_000);
    assertThat(problems(text.formatted("2159999")))
        .containsExactly(
            "8: memory.rows.slow-bytes: is 2,159,999 bytes, and tables with 'rows' may need"
                + " 2,160,000: 't' 2,160,000 for 9,998 rows");
    assertThat(problems(text.formatted("2160000") + "model: {type: wide-and-deep}\n"))
        .singleElement()
        .asString()
        .contains("2,320,000");
  }

  @Test
  void read_mistakesOfFixedTables_areReportedAtOnceWithTheirLines() {
    assertThat(
            problems(
                GOOD
                    + """
                    embeddings:
                      tables:
                        - {name: u, features: [user], rows: 0, index: hash}
                        - {name: i, features: [item], index: number}
                        - {name: b, features: [basket], rows: 500_000_001, index: open}
                    """))
        .containsExactly(
            "9: embeddings.tables.rows: 0 is not between 1 and 500000000",
            "10: embeddings.tables.index: takes effect with 'rows' only: how many rows the table"
                + " has",
            "11: embeddings.tables.rows: 500_000_001 is not between 1 and 500000000",
            "11: embeddings.tables.index: 'open' is none of hash, number");
  }

  /** What only open tables have is refused where there is none. */
  @Test
  void read_limitsWithoutAnOpenTable_haveNoEffect() {
    assertThat(
            problems(
                GOOD
                    + """
                    embeddings:
                      admit-after: 4
                      admission-counter: both
                      most-rows: 5
                      expire-unused-after: 30d
                      expire-rare: {below: 9}
                      expire-small: {below: 0.1}
                      tables:
                        - {name: t, features: [user, item, basket], rows: 10}
                    """))
        .containsExactly(
            "8: embeddings.admit-after: takes effect with a table without 'rows' only",
            "10: embeddings.most-rows: takes effect with a table without 'rows' only",
            "11: embeddings.expire-unused-after: takes effect with a table without 'rows' only",
            "12: embeddings.expire-rare: takes effect with a table without 'rows' only",
            "13: embeddings.expire-small: takes effect with a table without 'rows' only");
  }

  @Test
  void identity_rowsAndIndex_areShownAsInTheFile() throws Exception {
    String fixed = GOOD + "embeddings: {tables: [{name: t, features: [user, item, basket]%s}]}\n";
    SettingsIdentity open = SettingsIdentity.of(read(fixed.formatted("")));
    SettingsIdentity hash = SettingsIdentity.of(read(fixed.formatted(", rows: 10")));
    SettingsIdentity number =
        SettingsIdentity.of(read(fixed.formatted(", rows: 10, index: number")));
    String table = "embeddings.tables: [{name: t, dim: 16%s, features: [user, item, basket]}]";
    assertThat(open.differences(hash))
        .containsExactly(
            (table
                    + " before, [{name: t, dim: 16, rows: 10, index: hash, features: [user, item,"
                    + " basket]}] now")
                .formatted(""));
    assertThat(hash.differences(number))
        .containsExactly(
            (table
                    + " before, [{name: t, dim: 16, rows: 10, index: number, features: [user, item,"
                    + " basket]}] now")
                .formatted(", rows: 10, index: hash"));
    assertThat(
            hash.differences(SettingsIdentity.of(read(fixed.formatted(", rows: 10, index: hash")))))
        .isEmpty();
  }

  @Test
  void read_dlrm_hasItsDefaults() throws Exception {
    ModelSpec model = read(CRITEO + "model: {type: dlrm}\nembeddings: {dim: 8}\n").model();
    assertThat(model.network()).isEqualTo(new ModelSpec.Network.Dlrm(List.of(64), List.of(64, 32)));
    assertThat(model.standardize()).isTrue();
  }

  @Test
  void read_criteo_hasIdsIfTheModelHasTables() throws Exception {
    assertThat(read(CRITEO).input().schema().ids()).isEmpty();
    ApplicationSettings settings = read(CRITEO + "embeddings: {dim: 8}\n");
    assertThat(settings.input().schema().categorical()).isEmpty();
    assertThat(settings.input().schema().ids())
        .hasSize(26)
        .startsWith(new IdFeature("c1", 1))
        .endsWith(new IdFeature("c26", 1));
    assertThat(settings.model().network()).isEqualTo(new ModelSpec.Network.Mlp(List.of(64, 32)));
  }

  @Test
  void read_idsWithoutNumbers_givesAnInputOfVectors() throws Exception {
    ModelSpec model =
        read(GOOD.replace("  features: [a]\n", "") + "embeddings: {dim: 4}\n").model();
    Sample sample =
        new Sample(
            "",
            new double[0],
            new int[0],
            new IdLists(new long[] {2, 3, 4}, new int[] {1, 2, 3}),
            1);
    for (boolean enabled : List.of(true, false)) {
      FeatureScaler scaler =
          FeatureScaler.decode(
              FeatureScaler.empty(0, enabled, false).including(List.of(sample)).encode());
      assertThat(new NetworkInput(model).features(List.of(sample, sample), scaler, IdVectors.NONE))
          .hasSize(24);
    }
  }

  @Test
  void read_severalMistakes_areReportedAtOnceWithTheirLines() {
    assertThat(
            problems(
                """
                name: app
                input:
                  features: [a]
                  ids: [user, item, {name: tags, at-most: 0}, user]
                  label: y
                  classes: 2
                embeddings:
                  dim: 0
                  updater: sum
                  tables:
                    - {name: items, features: [item, itme]}
                    - {name: items, features: [tags, item], dim: 2000}
                    - {features: []}
                    - {name: user, features: [tags]}
                  admit-after: 0
                  dims: 4
                training:
                  engine: deeplearning4j
                memory:
                  rows: {fast-bytes: 1, policy: lru}
                """))
        .containsExactly(
            "4: input.ids.at-most: 0 is not between 1 and 100000",
            "4: input.ids: names a feature twice: 'user'",
            "8: embeddings.dim: 0 is not between 1 and 1024",
            "9: embeddings.updater: 'sum' is none of sgd, adagrad, row-wise-adagrad, adam",
            "11: embeddings.tables.features: 'itme' is none of 'input.ids'; did you mean 'item'?",
            "11: embeddings.tables: feature 'user' is in no table, although a table has its name: list the feature in that table",
            "11: embeddings.tables: feature 'user' is in no table, although a table has its name: list the feature in that table",
            "12: embeddings.tables.name: 'items' is the name of two tables",
            "12: embeddings.tables.dim: 2000 is not between 1 and 1024",
            "12: embeddings.tables.features: 'item' is listed twice",
            "13: embeddings.tables.name: is missing",
            "13: embeddings.tables.features: name at least one of 'input.ids'",
            "14: embeddings.tables.features: 'tags' is listed twice",
            "15: embeddings.admit-after: 0 is not between 1 and 1000000",
            "16: embeddings.dims: unknown key; did you mean 'dim'?",
            "18: training.engine: only iDlaLayer's engine trains tables",
            "20: memory.rows.fast-bytes: 1 is below 65536 bytes",
            "20: memory.rows.policy: 'lru' is none of frequency, dynamic, static, simple");
  }

  static Stream<Arguments> mistakes() {
    String image = "model: {type: cnn, image: {height: 1, width: 1, channels: 1}}\n";
    return Stream.of(
        mistake(GOOD, "1: embeddings: is missing: id features need tables, for instance {dim: 16}"),
        mistake(GOOD + "embeddings: {}\n" + image, "8: model.type: cnn takes no ids; mlp, dlrm"),
        mistake(
            GOOD + "embeddings: {}\nmodel: {type: samediff, file: none.fb}\n",
            "8: model.type: samediff takes no ids"),
        mistake(
            GOOD
                + "embeddings: {tables: [{name: t, dim: 8, features: [user]}]}\n"
                + "model: {type: dlrm}\n",
            "7: embeddings.tables: 'model.type: dlrm' needs tables of the same dim; they have 8,"
                + " 16"),
        mistake(
            GOOD.replace("  features: [a]\n", "") + "embeddings: {}\nmodel: {type: dlrm}\n",
            "7: model.type: dlrm needs at least one number ('input.features')"),
        mistake(
            GOOD.replace(", {name: basket, at-most: 50}", "") + "embeddings: {pooling: sum}\n",
            "7: embeddings.pooling: takes effect with an id feature of several ids"),
        mistake(
            GOOD + "embeddings: {admission-counter: bloom, admit-after: 16}\n",
            "7: embeddings.admit-after: a Bloom filter counts up to 15; with"),
        mistake(
            GOOD + "embeddings: {admission-counter: both}\n",
            "7: embeddings.admission-counter: takes effect with 'admit-after' above 1"),
        mistake(
            GOOD + "embeddings: {admit-after: 2, expected-ids: 5000}\n",
            "7: embeddings.expected-ids: takes effect with 'admission-counter' bloom or both"),
        mistake(
            GOOD + "embeddings: {admit-after: 2, admission-counter: bloom, false-admissions: 0}\n",
            "7: embeddings.false-admissions: 0 "),
        mistake(
            GOOD + "embeddings: {tables: [{name: t, features: [user], rows: }]}\n",
            "7: embeddings.tables.rows: has no value"),
        mistake(
            GOOD + "embeddings: {tables: [{name: t, features: [user], rows: many}]}\n",
            "7: embeddings.tables.rows: 'many' is not a whole number"),
        mistake(
            GOOD + "embeddings: {tables: [{name: t, features: [user], rows: -3}]}\n",
            "7: embeddings.tables.rows: -3 is not between 1 and 500000000"),
        mistake(GOOD + "embeddings: {rows: 10}\n", "7: embeddings.rows: unknown key"),
        mistake(
            GOOD + "embeddings: {}\nmemory: {rows: {slow-bytes: 1KiB}}\n",
            "8: memory.rows.slow-bytes: '1KiB' is below 1048576 bytes"),
        mistake(
            GOOD.replaceAll("  ids: .*\n", "") + "memory: {rows: {slow-bytes: 1GiB}}\n",
            "6: memory.rows.slow-bytes: takes effect with id features"),
        mistake(
            GOOD + "embeddings: {expire-rare: {below: 3}, admit-after: 3}\n",
            "7: embeddings.expire-rare.below: 3 is not above 'admit-after' (3)"),
        mistake(
            GOOD + "embeddings: {expire-small: {unused-for: 3d}}\n",
            "7: embeddings.expire-small.unused-for: takes effect with 'below' above 0"),
        mistake(
            GOOD + "embeddings: {expire-small: {below: -1}}\n",
            "7: embeddings.expire-small.below: -1"),
        mistake(
            GOOD + "embeddings: {expire-rare: {below: 2}, expire-unused-after: 1d}\n",
            "7: embeddings.expire-rare.unused-for: is not below 'expire-unused-after'"),
        mistake(
            CRITEO + "  ids: [c1]\nembeddings: {}\n",
            "4: input.ids: format criteo-tsv has features of its own"),
        mistake(
            CRITEO + "  categorical-buckets: 9\nembeddings: {}\n",
            "4: input.categorical-buckets: takes effect with a model without tables only"),
        mistake(
            GOOD.replace(
                    "  features", "  format: csv\n  columns: [a, user, itm, basket, y]\n  features")
                + "embeddings: {}\n",
            "6: input.ids: 'item' is none of the columns; did you mean 'itm'?"));
  }

  private static Arguments mistake(String text, String says) {
    return Arguments.of(text, says);
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void read_mistake_isExplained(String text, String says) {
    assertThat(problems(text)).anySatisfy(problem -> assertThat(problem).startsWith(says));
  }

  @Test
  void identity_withoutIds_hasNoKeysOfTables() throws Exception {
    String plain = GOOD.replaceAll("  ids: .*\n", "");
    assertThat(SettingsIdentity.of(read(plain)).json())
        .isEqualTo(
            """
            {"formatVersion":1,"settings":{"input.categorical":[],"input.classes":["0","1"],\
            "input.features":["a"],"input.format":"json","input.label":"y",\
            "input.task":"classification","input.topic":"app-samples","model.hidden":[32],"model.members":4,\
            "model.standardize":true,"model.type":"mlp","partitions":1,"training.updater":"adam"}}\
            """);
  }

  @Test
  void identity_differentTables_areShownAsInTheFile() throws Exception {
    SettingsIdentity before = SettingsIdentity.of(read(GOOD + "embeddings: {}\n"));
    SettingsIdentity after =
        SettingsIdentity.of(
            read(
                GOOD.replace("50", "9")
                    + "embeddings: {pooling: sum, tables: [{name: t, features: [user, item]}]}\n"));
    assertThat(before.differences(after))
        .containsExactly(
            "embeddings.pooling: [{name: basket, by: mean}] before, [{name: basket, by: sum}] now",
            "embeddings.tables: [{name: user, dim: 16, features: [user]}, {name: item, dim: 16,"
                + " features: [item]}, {name: basket, dim: 16, features: [basket]}] before, [{name:"
                + " t, dim: 16, features: [user, item]}, {name: basket, dim: 16, features:"
                + " [basket]}] now",
            "input.ids: [{name: user, at-most: 1}, {name: item, at-most: 1}, {name: basket,"
                + " at-most: 50}] before, [{name: user, at-most: 1}, {name: item, at-most: 1},"
                + " {name: basket, at-most: 9}] now");
    assertThat(SettingsIdentity.parse(before.json()).differences(before)).isEmpty();
  }
}
