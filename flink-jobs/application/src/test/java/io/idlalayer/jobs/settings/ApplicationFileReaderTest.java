package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.settings.memory.Tensors;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ApplicationFileReaderTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final String GOOD =
      """
      name: app
      input:
        format: csv
        columns: [a, b, y]
        features: [a, b]
        label: y
        classes: 2
      """;

  @TempDir Path folder;

  private ApplicationSettings read(String text, Map<String, String> environment) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(file, text);
    return ApplicationFileReader.read(file, environment::get);
  }

  private List<String> problems(String text) {
    SettingsException refused =
        catchThrowableOfType(SettingsException.class, () -> read(text, Map.of()));
    assertThat(refused).as("the file is accepted").isNotNull();
    return refused.problems().stream()
        .map(problem -> problem.line() + ": " + problem.key() + ": " + problem.message())
        .toList();
  }

  @Test
  void metric_notNamed_followsTheTask() throws Exception {
    String targets = GOOD.replace("classes: 2", "task: regression");
    String clicks =
        """
        name: app
        input: {features: [a], ids: [user], label: y, classes: 2}
        embeddings: {dim: 8}
        """;
    assertThat(read(GOOD, Map.of()).metric()).isEqualTo(QualityMetric.KAPPA_TEMPORAL);
    assertThat(read(targets, Map.of()).metric()).isEqualTo(QualityMetric.MASE);
    assertThat(read(clicks, Map.of()).metric()).isEqualTo(QualityMetric.NORMALIZED_ENTROPY);
    assertThat(read(clicks.replace("classes: 2", "classes: 3"), Map.of()).metric())
        .isEqualTo(QualityMetric.KAPPA_TEMPORAL);
  }

  @Test
  void metric_named_decidesWhatTheGateComparesUnlessThatIsNamedToo() throws Exception {
    String gate = "publishing: {gate: {action: hold%s}}\n";
    String targets = GOOD.replace("classes: 2", "task: regression");
    assertThat(read(GOOD + gate.formatted(""), Map.of()).publishing().gate().metric())
        .isEqualTo(Metric.ACCURACY);
    assertThat(read(GOOD + "metric: auc\n" + gate.formatted(""), Map.of()).publishing().gate())
        .extracting(GateSettings::metric)
        .isEqualTo(Metric.LOSS);
    assertThat(
            read(GOOD + "metric: auc\n" + gate.formatted(", metric: accuracy"), Map.of())
                .publishing()
                .gate()
                .metric())
        .isEqualTo(Metric.ACCURACY);
    assertThat(read(targets + "metric: rmse\n" + gate.formatted(""), Map.of()).publishing().gate())
        .extracting(GateSettings::metric)
        .isEqualTo(Metric.SQUARED_ERROR);
  }

  @Test
  void metric_unfitting_isRefusedWithThoseThatFit() {
    assertThat(problems(GOOD.replace("classes: 2", "classes: 3") + "metric: auc\n"))
        .containsExactly(
            "8: metric: 'auc' is not a metric of more than two classes: choose accuracy,"
                + " balanced-accuracy, f1, kappa, kappa-m, kappa-temporal, log-loss,"
                + " normalized-entropy");
    assertThat(problems(GOOD.replace("classes: 2", "task: regression") + "metric: accuracy\n"))
        .containsExactly(
            "8: metric: 'accuracy' is not a metric of targets: choose mae, rmse, r2, mase,"
                + " quantile-loss-10, quantile-loss-90");
  }

  @Test
  void loss_ofTargets_decidesTheMetricAndWhatTargetsMayBe() throws Exception {
    String targets = GOOD.replace("classes: 2", "task: regression") + "training: {%s}\n";
    ApplicationSettings plain = read(targets.formatted("loss: absolute"), Map.of());
    assertThat(plain.model().loss()).isEqualTo(TargetLoss.ABSOLUTE);
    assertThat(plain.metric()).isEqualTo(QualityMetric.MASE);
    ApplicationSettings huber = read(targets.formatted("loss: huber"), Map.of());
    assertThat(huber.model().loss()).isEqualTo(TargetLoss.huber(0.5));
    ApplicationSettings quantile =
        read(
            targets.formatted("loss: quantile, quantile: 0.9")
                + "publishing: {gate: {action: hold}}\n",
            Map.of());
    assertThat(quantile.model().loss()).isEqualTo(TargetLoss.quantile(0.9));
    assertThat(quantile.metric()).isEqualTo(QualityMetric.QUANTILE_LOSS);
    assertThat(quantile.publishing().gate().metric()).isEqualTo(Metric.TRAINING_LOSS);
    ApplicationSettings rates = read(targets.formatted("loss: poisson"), Map.of());
    assertThat(rates.metric()).isEqualTo(QualityMetric.RMSE);
    assertThat(rates.input().schema().label().targets())
        .isEqualTo(SampleSchema.Targets.NOT_NEGATIVE);
    assertThat(rates.model().schema()).isEqualTo(rates.input().schema());
    assertThat(quantile.input().schema().label().targets()).isEqualTo(SampleSchema.Targets.ALL);
  }

  @Test
  void history_besideAnyLossOfTargets_isKept() throws Exception {
    String targets = GOOD.replace("classes: 2", "task: regression") + "history: {labels: 2}\n";
    for (String loss :
        List.of("squared", "absolute", "huber", "quantile, quantile: 0.5", "poisson")) {
      ApplicationSettings read = read(targets + "training: {loss: %s}\n".formatted(loss), Map.of());
      assertThat(read.input().schema().history())
          .as(loss)
          .isEqualTo(new SampleSchema.History(null, 2, true, 10_000));
      assertThat(read.model().schema().contextWidth()).as(loss).isEqualTo(2 * 2 + 2);
    }
  }

  @Test
  void references_networkIsNotTrainedForMeans_areOffAndRefused() throws Exception {
    String targets = GOOD.replace("classes: 2", "task: regression");
    assertThat(read(GOOD, Map.of()).references()).isTrue();
    assertThat(read(targets, Map.of()).references()).isTrue();
    String quantile = targets + "training: {loss: quantile, quantile: 0.9}\n";
    assertThat(read(quantile, Map.of()).references()).isFalse();
    assertThat(problems(quantile + "model: {references: true}\n"))
        .containsExactly("9: model.references: takes effect with 'training.loss: squared' only");
  }

  @Test
  void loss_thatHasNoEffectOrLacksItsLevel_isRefused() {
    String targets = GOOD.replace("classes: 2", "task: regression") + "training: {%s}\n";
    assertThat(problems(GOOD + "training: {loss: huber}\n"))
        .containsExactly("8: training.loss: takes effect with 'input.task: regression' only");
    assertThat(problems(targets.formatted("loss: quantile")))
        .containsExactly(
            "8: training.quantile: is missing: the level that is predicted, such as 0.9");
    assertThat(problems(targets.formatted("loss: quantile, quantile: 1")))
        .containsExactly("8: training.quantile: must be above 0 and below 1");
    assertThat(problems(targets.formatted("quantile: 0.5, huber-delta: 2")))
        .containsExactlyInAnyOrder(
            "8: training.quantile: takes effect with 'loss: quantile' only",
            "8: training.huber-delta: takes effect with 'loss: huber' only");
    assertThat(problems(targets.formatted("loss: poison"))).hasSize(1);
    assertThat(problems(targets.formatted("loss: huber") + "metric: quantile-loss\n"))
        .containsExactly(
            "9: metric: 'quantile-loss' is not a metric of targets: choose mae, rmse, r2, mase,"
                + " quantile-loss-10, quantile-loss-90");
  }

  @Test
  void read_shortestFile_hasTheDefaults() throws Exception {
    ApplicationSettings settings = read(GOOD, Map.of());
    assertThat(settings.partitions()).isEqualTo(1);
    assertThat(settings.seed()).isEqualTo(42);
    assertThat(settings.input().topic()).isEqualTo("app-samples");
    assertThat(settings.update()).isEqualTo(UpdateSettings.defaults());
    assertThat(settings.data()).isEqualTo(DataSettings.defaults());
    assertThat(settings.model().network()).isEqualTo(new ModelSpec.Network.Mlp(List.of(32), 4));
    assertThat(settings.model().fit().learningRate()).isEqualTo(0.01);
    assertThat(settings.model().standardize()).isTrue();
    assertThat(settings.publishing())
        .isEqualTo(
            new ApplicationSettings.Publishing(
                null, null, 5, GateSettings.off(Metric.ACCURACY), false));
    assertThat(settings.kafka().decisionsTopic()).isEqualTo("app-decisions");
  }

  @Test
  void read_fiveMistakes_areReportedAtOnceWithTheirLines() {
    assertThat(
            problems(
                """
                name: app
                inptu: {}
                input:
                  format: cvs
                  features: [a]
                  label: y
                  classes: 2
                model:
                  hidden: [64, none]
                training:
                  learning-rate: -1
                update:
                  period: 30 parsecs
                """))
        .containsExactly(
            "2: inptu: unknown key; did you mean 'input'?",
            "4: input.format: 'cvs' is none of json, csv, criteo-tsv, binary, avro, protobuf",
            "9: model.hidden: 'none' is not a width between 1 and 1048576",
            "11: training.learning-rate: -1 must be above 0.0 and at most 100.0",
            "13: update.period: '30 parsecs' is not a duration such as 500ms, 30s, 2m or 1h");
  }

  static Stream<org.junit.jupiter.params.provider.Arguments> mistakes() {
    return Stream.of(
        mistake("", "is empty"),
        mistake("name: [", "is not YAML"),
        mistake("- a\n- b", "a mapping of keys is expected"),
        mistake("name: app", "input is missing"),
        mistake(GOOD.replace("name: app", "name: a/b"), "'a/b' is not a name"),
        mistake(GOOD + "name: again\n", "is given twice"),
        mistake(GOOD.replace("label: y", "label: z"), "'z' is none of the columns"),
        mistake(
            GOOD.replace("label: y", "label: \u0443"),
            "'\u0443' is none of the columns; did you mean 'y' (they differ in character 1, U+0079"
                + " and U+0443)?"),
        mistake(
            GOOD.replace("label: y", "label: 'y\u00a0'"), "'y\\u00a0' is none of the columns; did"),
        mistake(GOOD.replace("[a, b]", "[a, bb]"), "did you mean 'b'?"),
        mistake(GOOD.replace("  columns: [a, b, y]\n", ""), "needs the names of its columns"),
        mistake(GOOD.replace("[a, b, y]", "[a, a, y]"), "names a column twice"),
        mistake(GOOD.replace("classes: 2", "classes: 1"), "1 is not between 2"),
        mistake(GOOD.replace("label: y", "label: ''"), "input.label: is empty"),
        mistake(
            GOOD.replace("label: y", "label: y\n  id: ''"),
            "input.id: an empty text is not the name of a field"),
        mistake(GOOD.replace("label: y", "label: y\n  weight: ''"), "input.weight: is empty"),
        mistake(
            GOOD.replace("label: y", "label: y\n  categorical: [{name: '', buckets: 8}]"),
            "input.categorical.name: is empty"),
        mistake(
            GOOD.replace("features: [a", "features: ['', a"),
            "input.features: an empty text is not the name of a field"),
        mistake("name: ''" + GOOD.substring(GOOD.indexOf('\n')), "name: is empty"),
        mistake(GOOD.replace("  classes: 2\n", ""), "needs at least two"),
        mistake(GOOD.replace("classes: 2", "task: regression\n  classes: 2"), "has none"),
        mistake(GOOD.replace("[a, b]", "[a, y]"), "'y' is the label too"),
        mistake(GOOD.replace("[a, b]", "[a, a]"), "names a feature twice: 'a'"),
        mistake(GOOD.replace("[a, b]", "[a, {name: a, scale: 2}]"), "names a feature twice: 'a'"),
        mistake(
            GOOD.replace("[a, b]", "[a]\n  categorical: [{name: a, buckets: 3}]"),
            "input.categorical: 'a' is in features too"),
        mistake(
            GOOD.replace("[a, b]", "[a]\n  categorical: [{name: y, buckets: 3}]"),
            "input.categorical: 'y' is the label too"),
        mistake(GOOD.replace("[a, b]", "[a]\n  ids: [y]"), "input.ids: 'y' is the label too"),
        mistake(GOOD.replace("[a, b]", "[a]\n  ids: [b, a]"), "input.ids: 'a' is in features too"),
        mistake(GOOD.replace("[a, b]", "[a]\n  id: y"), "input.id: 'y' is the label too"),
        mistake(GOOD.replace("[a, b]", "[a]\n  weight: y"), "input.weight: 'y' is the label too"),
        mistake(GOOD.replace("[a, b]", "[a]\n  weight: a"), "input.weight: 'a' is in features too"),
        mistake(
            GOOD.replace("[a, b]", "[a]\n  id: b\n  weight: b"), "input.weight: 'b' is the id too"),
        mistake(GOOD.replace("[a, b]", "[a]\n  weight: w"), "input.weight: 'w' is none of the"),
        mistake(GOOD.replace("[a, b]", "[a]\n  weight:"), "input.weight: has no value"),
        mistake(
            GOOD.replace("[a, b]", "[a]\n  weight: {name: b, default: -1}"),
            "input.weight.default: -1 must be at least 0.0"),
        mistake(GOOD.replace("classes: 2", "classes: [a, a]"), "names a class twice: 'a'"),
        mistake(GOOD.replace("classes: 2", "classes: [a, '']"), "an empty text is not a class"),
        mistake(GOOD.replace("csv", "csv\n  delimiter: ''"), "input.delimiter: some text"),
        mistake(GOOD.replace("csv", "csv\n  delimiter: 'a\"'"), "without quotes and line ends"),
        mistake(
            GOOD.replace("csv", "csv\n  encoding: utf-9"), "'utf-9' is not an encoding that is"),
        mistake(GOOD.replace("csv", "csv\n  encoding: IBM037"), "writes ASCII in other bytes"),
        mistake(GOOD.replace("csv", "csv\n  decimal: x"), "'x' is not a decimal separator"),
        mistake(GOOD.replace("csv", "csv\n  decimal: '..'"), "'..' is not a decimal separator"),
        mistake(GOOD.replace("csv", "csv\n  thousands: '.'"), "separator are both ."),
        mistake(GOOD.replace("csv", "csv\n  missing: median"), "none of refuse, zero, mean"),
        mistake(
            GOOD.replace("csv", "csv\n  missing-indicator: true"),
            "takes effect with 'missing' zero or mean only"),
        mistake(
            GOOD.replace("csv", "csv\n  missing: mean") + "model: {standardize: false}\n",
            "the mean is known only with 'model.standardize: true'"),
        mistake(
            GOOD.replace("[a, b]", "[{name: a, time: [hour, minutes]}]"),
            "'minutes' is none of seconds, hour,"),
        mistake(
            GOOD + "model: {hidden: [1000000, 1000000, 1000000]}\n",
            "model.hidden: the network has 2,000,007,000,002 parameters, which take 21.8 TiB together with the updater's state; at most 2.0 GiB"),
        mistake(GOOD + "model: {members: 0}\n", "is not between 1 and 16"),
        mistake(
            GOOD + "model: {members: 2}\ntraining: {engine: deeplearning4j}\n",
            "training.engine: only iDlaLayer's engine trains several members on classes"),
        mistake(
            GOOD + "history: {labels: 0, changes: false}\n",
            "history.labels: the history would be empty: say labels above 0, or changes of numbers"),
        mistake(GOOD + "history: {labels: 17}\n", "is not between 0 and 16"),
        mistake(GOOD + "history: {key: nowhere}\n", "history.key: 'nowhere' is none of the"),
        mistake(GOOD + "history: {key: y}\n", "history.key: 'y' is the label"),
        mistake(
            GOOD.replace("[a, b]", "[a]\n  id: b") + "history: {key: b}\n",
            "history.key: 'b' is the id"),
        mistake(
            GOOD.replace("[a, b]", "[a]\n  ids: [b]") + "history: {}\n",
            "model.type: with ids ('input.ids'), mlp cannot use a history ('history') yet"),
        mistake(
            GOOD + "history: {}\nmodel: {type: dl4j-json, file: x.json}\n",
            "model.type: dl4j-json cannot use a history ('history'): only mlp"),
        mistake(
            GOOD + "history: {}\nmodel: {standardize: false}\n",
            "model.standardize: 'history' needs it"),
        mistake(
            GOOD + "history: {}\npartitions: 2\n",
            "history.key: the events of a key must be in one partition"),
        mistake(GOOD + "history: {keys: 20}\n", "takes effect with 'history.key' only"),
        mistake(
            GOOD + "history: {key: a, keys: 9000000}\n",
            "history.keys: 9000000 histories would take more than 256 MiB; at most "),
        mistake(
            GOOD.replace("classes: 2", "classes: 5000") + "history: {}\n",
            "1 labels of 5000 values each and the changes are 5002 values together; at most 4096 are possible"),
        mistake(GOOD + "model: {members: 17}\n", "is not between 1 and 16"),
        mistake(
            GOOD.replace("[a, b]", "[a]\n  ids: [b]") + "model: {members: 2}\n",
            "model.members: several members take no ids ('input.ids') yet"),
        mistake(
            GOOD + "model: {type: dl4j-json, file: x.json, members: 2}\n",
            "model.members: unknown key"),
        mistake(
            GOOD + "model: {members: 4, hidden: [30000, 30000]}\n",
            "3,601,560,008 parameters, which take 40.3 GiB"),
        mistake(
            GOOD + "model: {hidden: [60000, 60000]}\n",
            "3,600,360,002 parameters, which take 40.2 GiB"),
        mistake(
            GOOD + "model: {hidden: [100000]}\ntraining: {mini-batch: 65536}\n",
            "a mini-batch of 65,536 rows takes 24.4 GiB in a layer of 100,000 numbers"),
        mistake(
            GOOD.replace("[a, b]", "[a]\n  categorical: [{name: b, buckets: 16777216}]"),
            "parameters, which take 12.0 GiB"),
        mistake(
            GOOD.replace(
                "[a, b]",
                "[f1..f100000, g1..g100000, h1..h100000, i1..i100000, j1..j100000, k1..k100000,"
                    + " l1..l100000, m1..m100000, n1..n100000, o1..o100000, p1..p100000]"),
            "input.features: the file names more than 1,000,000 things"),
        mistake(
            GOOD.replace("csv", "csv\n  topic: app-dead-letters"),
            "input.topic: topic app-dead-letters is the topic of dead letters of app, and the"
                + " input topic of app"),
        mistake(
            GOOD + "kafka: {control-topic: app-samples}\n",
            "topic app-samples is the control topic of app, and the input topic of app"),
        mistake(
            GOOD + "kafka: {status-topic: app-models}\n",
            "kafka.status-topic: topic app-models is the topic of models of app, and the status"),
        mistake(
            GOOD + "kafka: {status-topic: a.s, control-topic: a_s}\n",
            "kafka.control-topic: topics a.s and a_s differ in dots and underscores only"),
        mistake(GOOD + "seed: soon\n", "not a whole number"),
        mistake(GOOD + "seed: \uff11\uff12\n", "not a whole number"),
        mistake(GOOD + "training: {epochs: \uff11}\n", "not a whole number"),
        mistake(GOOD + "training: {learning-rate: 1d}\n", "'1d' is not a number"),
        mistake(GOOD + "training: {learning-rate: 0x1p-3}\n", "'0x1p-3' is not a number"),
        mistake(
            GOOD + "model: {type: cnn, image: {height: 2, width: 2, channels: 1}}\n",
            "2 x 2 x 1 is 4 values, but the features are 2 dense"),
        mistake(GOOD + "model: {type: dl4j-json, file: none.json}\n", "cannot be read"),
        mistake(GOOD + "update: {machine-price-per-second: 1}\n", "both prices are needed"),
        mistake(
            GOOD
                + "update: {waiting-samples-per-training-second: 1, machine-price-per-second: 1,"
                + " staleness-price-per-sample-second: 1}\n",
            "not both"),
        mistake(GOOD + "selection: {max-bytes: 1MiB}\n", "4 x input.max-event-bytes"),
        mistake(GOOD + "selection: {mature: 1.5}\n", "at most 1.0"),
        mistake(GOOD + "kafka: {properties: {group.id: mine}}\n", "is set by iDlaLayer itself"),
        mistake(
            GOOD + "kafka: {properties: {isolation.level: dirty}}\n",
            "'dirty' is none of [read_committed, read_uncommitted]"),
        mistake(GOOD + "kafka: {control-topic: a b}\n", "'a b' is not a Kafka topic name"),
        mistake(
            GOOD.replace("  label", "  control-records: both\n  label"),
            "'both' is none of topic, input"),
        mistake(
            GOOD + "kafka: {properties: {sasl.jaas.config: \"${env:NONE}\"}}\n",
            "environment variable NONE is not set"),
        mistake(
            GOOD.replace("  label", "  event-time: {field: a}\n  label"),
            "input.event-time: unknown key"));
  }

  private static org.junit.jupiter.params.provider.Arguments mistake(String text, String says) {
    return org.junit.jupiter.params.provider.Arguments.of(text, says);
  }

  @Test
  void classes_inQuotes_areNoRanges() throws Exception {
    assertThat(classes("['0..10', \"10..20\"]")).containsExactly("0..10", "10..20");
    assertThat(classes("[c1..c3]")).containsExactly("c1", "c2", "c3");
  }

  /** Relatives of case 29: a path may be written in several ways, and leads to one field. */
  @Test
  void fields_pathsThatAreWrittenInOtherWays_areOneField() {
    String json = "name: app\ninput: {label: o.y, classes: 2, %s}\n";
    assertThat(problems(json.formatted("features: [a, 'o[\"y\"]']")))
        .containsExactly(
            "2: input.features: 'o.y' is the label too: a model would be trained on the answer, and"
                + " lack it when it serves");
    assertThat(problems(json.formatted("features: [u.a, '[\"u\"].a']")))
        .containsExactly("2: input.features: names a feature twice: '[\"u\"].a'");
    assertThat(
            problems(
                json.formatted(
                    "features: ['l[0]'], categorical: [{name: 'l[00]', buckets: 3}], id:"
                        + " 'o[\"y\"]'")))
        .containsExactly(
            "2: input.categorical: 'l[00]' is in features too",
            "2: input.id: 'o.y' is the label too; each event needs an id of its own");
    assertThat(problems(json.formatted("features: [a], weight: '[\"a\"]'")))
        .containsExactly("2: input.weight: '[\"a\"]' is in features too");
  }

  @Test
  void read_fileOfAMebibyte_isReadAndALargerOneIsNot() throws Exception {
    String most = GOOD + "#" + "x".repeat((1 << 20) - GOOD.length() - 1);
    assertThat(read(most, Map.of()).name()).isEqualTo("app");
    assertThat(problems(most + "x"))
        .containsExactly("0: : is larger than an application file can be (1 MiB)");
  }

  /** Case 30: what YAML reads as truth, nothing, numbers of other bases, times and dates. */
  @Test
  void classes_wordsOfYaml_areTextsAsWritten() throws Exception {
    assertThat(classes("[NO, SE, yes, null, ~, 0x10, 1_0, 12:30, 1e3, 2024-01-01, 1.0, 01]"))
        .containsExactly(
            "NO",
            "SE",
            "yes",
            "null",
            "~",
            "0x10",
            "1_0",
            "12:30",
            "1e3",
            "2024-01-01",
            "1.0",
            "01");
  }

  private List<String> classes(String list) throws Exception {
    return read(GOOD.replace("classes: 2", "classes: " + list), Map.of())
        .input()
        .schema()
        .label()
        .classes();
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void read_anyMistake_isExplained(String text, String says) {
    assertThat(String.join("\n", problems(text)).replace("input: is", "input is")).contains(says);
  }

  @Test
  void read_problemsOfTheNetwork_areReportedWithAllOthers() throws Exception {
    Files.writeString(folder.resolve("net.json"), "{}");
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        GOOD
            + """
            seed: soon
            model: {type: dl4j-json, file: net.json}
            training: {engine: onednn}
            """);
    SettingsException refused =
        catchThrowableOfType(
            SettingsException.class,
            () -> ApplicationFileReader.read(file, name -> null, new RefusingChecks()));
    assertThat(refused.problems())
        .extracting(problem -> problem.line() + ": " + problem.key())
        .containsExactly("8: seed", "9: model.file", "10: training.engine");
    assertThat(refused.problems().get(1).message()).endsWith("net.json: no network");
    assertThat(refused.problems().get(2).message())
        .isEqualTo("onednn cannot train this: no kernel");
  }

  @Test
  void read_whatIsAskedOfTheNetwork_isChecked() throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file, GOOD + "publishing: {onnx: true}\nmemory: {tensors: {fast-bytes: 1MiB}}\n");
    SettingsException refused =
        catchThrowableOfType(
            SettingsException.class,
            () -> ApplicationFileReader.read(file, name -> null, new RefusingChecks()));
    assertThat(refused.problems())
        .extracting(problem -> problem.key() + ": " + problem.message())
        .containsExactly(
            "publishing.onnx: the network is not written as ONNX: no operator",
            "memory.tensors.fast-bytes: only iDlaLayer's engine places tensors, and it cannot train"
                + " this: no kernel");
  }

  @Test
  void read_anEngineThatIsNotThere_isAProblem() throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(file, GOOD + "training: {engine: deeplearning4j}\n");
    SettingsException refused =
        catchThrowableOfType(
            SettingsException.class,
            () -> ApplicationFileReader.read(file, name -> null, new RefusingChecks()));
    assertThat(refused.problems())
        .extracting(problem -> problem.key() + ": " + problem.message())
        .containsExactly("training.engine: no library");
  }

  private static final class RefusingChecks implements NetworkChecks {
    @Override
    public Optional<String> network(ModelSpec spec, EngineName engine) {
      return Optional.of("no network");
    }

    @Override
    public Optional<String> engine(ModelSpec spec, boolean placed) {
      return Optional.of("no kernel");
    }

    @Override
    public Optional<String> library() {
      return Optional.of("no library");
    }

    @Override
    public Optional<String> onnx(ModelSpec spec) {
      return Optional.of("no operator");
    }
  }

  @Test
  void read_startOfTheModel_isBesideTheFile() throws Exception {
    assertThat(read(GOOD, Map.of()).start()).isNull();
    // It is read when a learner begins, which knows whether it is still needed.
    assertThat(read(GOOD + "model: {start: nets/net.onnx}\n", Map.of()).start())
        .isEqualTo(folder.resolve("nets/net.onnx").toAbsolutePath().normalize().toString());
  }

  @Test
  void read_startThatCannotBe_isAProblem() throws Exception {
    assertThatThrownBy(
            () -> read(GOOD + "model: {type: samediff, file: n.fb, start: net.onnx}\n", Map.of()))
        .hasMessageContaining("model.start: a SameDiff graph has its first values in 'file'");
    assertThatThrownBy(
            () -> read(GOOD + "model: {start: \"https://example.org/net.onnx\"}\n", Map.of()))
        .hasMessageContaining("model.start")
        .hasMessageContaining("is an address");
    assertThatThrownBy(
            () ->
                read(
                    GOOD + "partitions: 2\nmixing: {action: average}\nmodel: {start: net.onnx}\n",
                    Map.of()))
        .hasMessageContaining("mixing.action: a mixed model begins with no file");
  }

  @Test
  void read_missingFile_isAProblem() {
    for (Path path : List.of(folder.resolve("none.yaml"), folder)) {
      assertThatThrownBy(() -> ApplicationFileReader.read(path, name -> null))
          .isInstanceOf(SettingsException.class)
          .hasMessageContaining(path.toString());
    }
  }

  @Test
  void read_secretOfTheEnvironment_isNeverShown() throws Exception {
    ApplicationSettings settings =
        read(
            GOOD + "kafka: {properties: {sasl.jaas.config: \"pass=${env:SECRET};\"}}\n",
            Map.of("SECRET", "hunter2"));
    assertThat(settings.kafka().properties()).containsEntry("sasl.jaas.config", "pass=hunter2;");
    assertThat(settings.toString()).doesNotContain("hunter2").contains("sasl.jaas.config");
  }

  @Test
  void read_pricesInsteadOfTheWeight_giveTheWeight() throws Exception {
    ApplicationSettings settings =
        read(
            GOOD
                + "update: {machine-price-per-second: 0.02, staleness-price-per-sample-second:"
                + " 0.0001}\n",
            Map.of());
    assertThat(settings.update().weight()).isEqualTo(200.0);
  }

  @Test
  void read_everyExample_succeeds() throws Exception {
    try (Stream<Path> examples = Files.list(ROOT.resolve("examples"))) {
      List<Path> files = examples.filter(file -> file.toString().endsWith(".yaml")).toList();
      assertThat(files).hasSizeGreaterThanOrEqualTo(6);
      for (Path file : files) {
        assertThat(ApplicationFileReader.read(file, name -> null).name()).isNotEmpty();
      }
    }
  }

  @Test
  void hotPlan_isOffUnlessItIsSwitchedOn() throws Exception {
    assertThat(read(GOOD, Map.of()).memory().hotPlan()).isFalse();
    assertThat(read(GOOD + "\nmemory: {hot-plan: on}\n", Map.of()).memory().hotPlan()).isTrue();
    assertThatThrownBy(() -> read(GOOD + "\nmemory: {hot-plan: maybe}\n", Map.of()))
        .hasMessageContaining("hot-plan")
        .hasMessageContaining("'maybe' is not true or false");
  }

  @Test
  void read_policyOfTheBenchmarks_isRefused() {
    for (String policy : List.of("two-level-memory", "cached-arrays-lm", "vdnn-all")) {
      String file =
          GOOD + "\nmemory: {tensors: {fast-bytes: 64MiB, policy: %s}}\n".formatted(policy);
      assertThatThrownBy(() -> read(file, Map.of()))
          .hasMessageContaining("memory.tensors.policy")
          .hasMessageContaining(
              "'%s' is none of all-fast, all-slow, first-touch, cached-arrays".formatted(policy));
    }
  }

  @Test
  void read_tensorsWithoutFastBytes_areNotPlaced() throws Exception {
    assertThat(read(GOOD, Map.of()).memory().tensors().placed()).isFalse();
    Tensors tensors =
        read(
                GOOD
                    + "\n"
                    + "memory: {tensors: {fast-bytes: 64MiB, slow-directory: /slow, policy:"
                    + " first-touch}}\n",
                Map.of())
            .memory()
            .tensors();
    assertThat(tensors)
        .isEqualTo(
            new Tensors(
                64 << 20, "/slow", 256 << 20, FileAccess.MAPPED, PlacementName.FIRST_TOUCH));
    assertThatThrownBy(
            () -> read(GOOD + "\nmemory: {tensors: {fast-bytes: -1, policy: magic}}\n", Map.of()))
        .hasMessageContaining("memory.tensors.fast-bytes")
        .hasMessageContaining("'magic' is none of all-fast")
        .hasMessageContaining("cached-arrays");
  }

  @Test
  void read_documentedDefaults_areTheRealOnes() throws Exception {
    String page = Files.readString(ROOT.resolve("docs/application-file.md"));
    String block = page.substring(page.indexOf("```yaml\n") + 8);
    ApplicationSettings documented = read(block.substring(0, block.indexOf("```")), Map.of());
    ApplicationSettings defaults = read(GOOD.replace("name: app", "name: clicks"), Map.of());
    assertThat(documented.update()).isEqualTo(defaults.update());
    assertThat(documented.data()).isEqualTo(defaults.data());
    assertThat(documented.publishing()).isEqualTo(defaults.publishing());
    assertThat(documented.memory()).isEqualTo(defaults.memory());
    assertThat(documented.kafka()).isEqualTo(defaults.kafka());
    assertThat(documented.model().fit()).isEqualTo(defaults.model().fit());
    assertThat(documented.model().network()).isEqualTo(defaults.model().network());
    assertThat(documented.seed()).isEqualTo(defaults.seed());
    assertThat(documented.input().topic()).isEqualTo(defaults.input().topic());
    assertThat(documented.input().maxEventBytes()).isEqualTo(defaults.input().maxEventBytes());
  }

  @Test
  void quantities_numbersAndUnits_areRead() throws IOException {
    assertThat(Quantities.seconds("500ms")).isEqualTo(0.5);
    assertThat(Quantities.seconds("2 m")).isEqualTo(120);
    assertThat(Quantities.bytes("64KiB")).isEqualTo(65_536);
    assertThat(Quantities.bytes("7")).isEqualTo(7);
    assertThat(Quantities.range("f9..f11")).containsExactly("f9", "f10", "f11");
    assertThat(Quantities.range("f08..f10")).containsExactly("f08", "f09", "f10");
    assertThat(Quantities.range("a..b")).containsExactly("a..b");
    assertThatThrownBy(() -> Quantities.bytes("9999999999999TiB")).hasMessageContaining("any disk");
  }
}
