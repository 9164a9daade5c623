package io.idlalayer.jobs.settings;

import static io.idlalayer.jobs.settings.ApplicationFiles.CNN;
import static io.idlalayer.jobs.settings.ApplicationFiles.IDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.gate.GateSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every key of the application file: what changes with it, and whether a start on existing state
 * accepts that. A key that the reader knows and this table does not fails {@link
 * #table_hasEveryKeyThatTheReaderKnows}; add a row for it, and a line to docs/application-file.md.
 */
final class ApplicationKeysTest {
  /** The pages that explain the keys. */
  private static final List<Path> PAGES =
      Stream.of(
              ("application-file changing-the-file history input key-bounds losses models"
                      + " sample-settings scaling table-settings")
                  .split(" "))
          .map(page -> Path.of("../../docs", page + ".md").toAbsolutePath().normalize())
          .toList();

  private static final String CSV =
      """
      name: app
      input: {format: csv, columns: [id, at, a, b, site, y], features: [a, b], label: y, classes: 2}
      """;
  private static final String CRITEO = "name: app\ninput: {format: criteo-tsv}\n";
  private static final String DLRM =
      IDS.replace(", {name: tags, at-most: 3}", "") + "model: {type: dlrm}\n";
  private static final String DL4J = CSV + "model: {type: dl4j-json, file: one.json}\n";
  private static final String SAME_DIFF = CSV + "model: {type: samediff, file: one.fb}\n";

  @TempDir Path folder;

  /** Files of networks, which are no more than text to who does not train. */
  @BeforeEach
  void networks() throws Exception {
    for (String name : List.of("one.json", "two.json", "one.fb", "two.fb", "in.fb")) {
      Files.writeString(folder.resolve(name), "network " + name);
    }
    RecordFiles.write(folder);
    Files.writeString(
        folder.resolve("rules.fcl"),
        io.idlalayer.datacontroller.settings.DataSettings.defaults().staging().rules() + "\n");
  }

  /** What a change of a key means for state that is there. */
  private enum Change {
    /** The start is refused, naming the key. */
    IDENTITY,
    /** The start goes on, and the setting has another value. */
    FREE
  }

  /**
   * @param base a file
   * @param changed that file with another value of the key
   * @param effect the setting that the key stands for
   */
  private record Row(
      String key,
      Change change,
      String base,
      String changed,
      Function<ApplicationSettings, Object> effect) {
    @Override
    public String toString() {
      return key;
    }
  }

  private static final List<Row> ROWS = new ArrayList<>();

  static {
    top();
    input();
    model();
    update();
    selection();
    memory();
    embeddings();
  }

  private static void identity(
      String key, String base, String changed, Function<ApplicationSettings, Object> effect) {
    ROWS.add(new Row(key, Change.IDENTITY, base, changed, effect));
  }

  private static void identityOfInput(
      String key, String from, String to, Function<ApplicationSettings, Object> effect) {
    identity(key, CSV, CSV.replace(from, to), effect);
  }

  private static void free(
      String key, String base, String changed, Function<ApplicationSettings, Object> effect) {
    ROWS.add(new Row(key, Change.FREE, base, changed, effect));
  }

  /** A free key of a section, with what it needs to have an effect. */
  private static void free(
      String key,
      String section,
      String needs,
      String value,
      Function<ApplicationSettings, Object> effect) {
    String name = key.substring(key.lastIndexOf('.') + 1);
    String both = needs.isEmpty() ? name + ": " + value : needs + ", " + name + ": " + value;
    free(
        key,
        CSV + "%s: {%s}\n".formatted(section, needs),
        CSV + "%s: {%s}\n".formatted(section, both),
        effect);
  }

  private static void update(
      String key, String needs, String value, Function<ApplicationSettings, Object> effect) {
    free("update." + key, "update", needs, value, effect);
  }

  private static void selection(
      String key, String needs, String value, Function<ApplicationSettings, Object> effect) {
    free("selection." + key, "selection", needs, value, effect);
  }

  private static void memory(
      String key, String value, Function<ApplicationSettings, Object> effect) {
    free("memory." + key, "memory", "", value, effect);
  }

  private static void tensors(
      String key, String value, Function<ApplicationSettings, Object> effect) {
    String fast = key.equals("fast-bytes") ? "" : "fast-bytes: 1MiB, ";
    free(
        "memory.tensors." + key,
        CSV + "memory: {tensors: {%s}}\n".formatted(fast),
        CSV + "memory: {tensors: {%s%s: %s}}\n".formatted(fast, key, value),
        effect);
  }

  private static void gate(String key, String value, Function<GateSettings, Object> effect) {
    String hold = key.equals("action") ? "" : "action: hold, ";
    free(
        "publishing.gate." + key,
        CSV + "publishing: {gate: {%s}}\n".formatted(hold),
        CSV + "publishing: {gate: {%s%s: %s}}\n".formatted(hold, key, value),
        app -> effect.apply(app.publishing().gate()));
  }

  /** A free key of embeddings. */
  private static void rowLimit(
      String key, String value, Function<ApplicationSettings, Object> effect) {
    free("embeddings." + key, IDS, IDS.replace("8}", "8, %s: %s}".formatted(key, value)), effect);
  }

  static Stream<Row> rows() {
    return ROWS.stream();
  }

  private static void top() {
    identity("partitions", CSV, CSV + "partitions: 2\n", ApplicationSettings::partitions);
    identity(
        "mixing.action",
        CSV + "partitions: 2\n",
        CSV + "partitions: 2\nmixing: {action: average}\n",
        app -> app.mixing().action());
    free(
        "mixing.wait",
        CSV + "partitions: 2\nmixing: {action: average}\n",
        CSV + "partitions: 2\nmixing: {action: average, wait: 3s}\n",
        app -> app.mixing().waitSeconds());
    String byUser = DLRM + "partitions: 2\nmixing: {action: average, partition-by: user}\n";
    identity("mixing.partition-by", byUser, byUser.replace("user", "item"), a -> a.mixing());
    free("seed", CSV, CSV + "seed: 7\n", ApplicationSettings::seed);
    free("metric", CSV, CSV + "metric: auc\n", ApplicationSettings::metric);
    free(
        "publishing.directory", "publishing", "", "elsewhere", app -> app.publishing().directory());
    free("publishing.every", "publishing", "", "3s", app -> app.publishing().everySeconds());
    free("publishing.keep", "publishing", "", "7", app -> app.publishing().keep());
    free("model.references", "model", "", "false", ApplicationSettings::references);
    free("model.start", "model", "", "net.onnx", ApplicationSettings::start);
    free("comparison.every", "comparison", "", "700", app -> app.comparison().every());
    free("publishing.onnx", "publishing", "", "true", app -> app.publishing().onnx());
    free("publishing.gate", "publishing", "", "{action: warn}", app -> app.publishing().gate());
    gate("action", "warn", GateSettings::action);
    gate("after-publishing", "roll-back", GateSettings::afterPublishing);
    gate("metric", "loss", GateSettings::metric);
    gate("margin", "0.5", GateSettings::margin);
    gate("samples", "7", GateSettings::samples);
    gate("wait", "3s", GateSettings::waitSeconds);
    gate("continue-from", "in-service", GateSettings::continueFrom);
    gate("trusted-file", "right.csv", GateSettings::trustedFile);
    free("kafka.topic-prefix", "kafka", "", "other-", app -> app.kafka().modelsTopic());
    free("kafka.status-topic", "kafka", "", "s", app -> app.kafka().statusTopic());
    free("kafka.control-topic", "kafka", "", "c", app -> app.kafka().controlTopic());
    free("kafka.subscribers-topic", "kafka", "", "s", app -> app.kafka().subscribersTopic());
    free("kafka.properties", "kafka", "", "{client.id: me}", app -> app.kafka().properties());
  }

  private static void input() {
    identityOfInput("input.topic", "{format", "{topic: other, format", app -> app.input().topic());
    // Topics are added behind the first one; the job's state says whether one was left out.
    free(
        "input.topics",
        CSV.replace("{format", "{topics: [a], format"),
        CSV.replace("{format", "{topics: [a, b], format"),
        app -> app.input().eventTopics());
    free(
        "input.topic-pattern",
        CSV.replace("{format", "{topic-pattern: a.*, format"),
        CSV.replace("{format", "{topic-pattern: b.*, format"),
        app -> app.input().topicPattern());
    free(
        "input.start",
        CSV,
        CSV.replace("{format", "{start: latest, format"),
        app -> app.input().start());
    identity(
        "input.format",
        CSV.replace("format: csv, columns: [id, at, a, b, site, y], ", ""),
        CSV.replace("format: csv, columns: [id, at, a, b, site, y], ", "format: binary, "),
        app -> app.input().format());
    identityOfInput(
        "input.delimiter",
        "{format",
        "{delimiter: '::', format",
        app -> app.input().text().delimiter());
    identityOfInput(
        "input.encoding",
        "{format",
        "{encoding: latin1, format",
        app -> app.input().text().encoding());
    identityOfInput(
        "input.decimal", "{format", "{decimal: ',', format", app -> app.input().text().notation());
    identityOfInput(
        "input.thousands",
        "{format",
        "{thousands: ',', format",
        app -> app.input().text().notation());
    readings();
    records();
    free(
        "input.header",
        CSV,
        CSV.replace("{format", "{header: true, format"),
        app -> app.input().header());
    free(
        "input.max-event-bytes",
        CSV,
        CSV.replace("{format", "{max-event-bytes: 2MiB, format"),
        app -> app.input().maxEventBytes());
    free(
        "input.control-records",
        CSV,
        CSV.replace("{format", "{control-records: input, format"),
        app -> app.input().controlRecords());
    identityOfInput(
        "input.columns", "[id, at, a, b,", "[id, at, b, a,", app -> app.input().schema().columns());
    identityOfInput("input.features", "[a, b]", "[b, a]", app -> app.input().schema().dense());
    identityOfInput(
        "input.features.name", "[a, b]", "[a, {name: site}]", app -> app.input().schema().dense());
    identityOfInput(
        "input.features.scale",
        "[a, b]",
        "[a, {name: b, scale: 2}]",
        app -> app.input().schema().dense());
    identity(
        "input.features.width",
        CNN.replace("type: cnn, image: {height: 4, width: 4, channels: 1}", ""),
        CNN.replace("type: cnn, image: {height: 4, width: 4, channels: 1}", "").replace("16", "9"),
        app -> app.input().schema().dense());
    identityOfInput(
        "input.categorical",
        "label",
        "categorical: [{name: site, buckets: 8}], label",
        app -> app.input().schema().categorical());
    String site = CSV.replace("label", "categorical: [{name: site, buckets: 8}], label");
    identity(
        "input.categorical.name",
        site,
        site.replace("{name: site", "{name: at"),
        app -> app.input().schema().categorical());
    identity(
        "input.categorical.buckets",
        site,
        site.replace("8}", "9}"),
        app -> app.input().schema().categorical());
    identity(
        "input.categorical-buckets",
        CRITEO,
        CRITEO.replace("tsv", "tsv, categorical-buckets: 9"),
        app -> app.input().schema().categorical());
    identityOfInput("input.label", "label: y", "label: site", app -> app.input().schema().label());
    identityOfInput(
        "input.task", "classes: 2", "task: regression", app -> app.input().schema().label().task());
    identityOfInput(
        "input.classes",
        "classes: 2",
        "classes: ['1', '0']",
        app -> app.input().schema().label().classes());
    identityOfInput("input.id", "label", "id: id, label", app -> app.input().schema().id());
    Function<ApplicationSettings, Object> weight = app -> app.input().schema().weight();
    identityOfInput("input.weight", "label", "weight: at, label", weight);
    identityOfInput("input.weight.name", "label", "weight: {name: at}, label", weight);
    free(
        "input.weight.default",
        CSV.replace("label", "weight: {name: at}, label"),
        CSV.replace("label", "weight: {name: at, default: 2}, label"),
        app -> app.data().defaultWeight());
  }

  /** Keys that say where the schemas of records come from. */
  private static void records() {
    Function<ApplicationSettings, Object> schemas = app -> String.valueOf(app.input().schemas());
    free("input.schema-file", RecordFiles.AVRO, RecordFiles.AVRO.replace("one", "two"), schemas);
    free(
        "input.message",
        RecordFiles.PROTOBUF,
        RecordFiles.PROTOBUF.replace("message: A", "message: B"),
        schemas);
    free("input.registry", RecordFiles.AVRO, RecordFiles.REGISTRY, schemas);
    registry("url", "", ", url: 'http://there:2'", schemas);
    registry("time-limit", "", ", time-limit: 3s", schemas);
    registry("user", ", user: a, password: p", ", user: b, password: p", schemas);
    Function<ApplicationSettings, Object> registry = app -> app.input().schemas();
    registry("password", ", user: a, password: p", ", user: a, password: q", registry);
    for (String store : List.of("trust-store", "key-store")) {
      String with = ", %s: a.p12, %s-password: %%s".formatted(store, store);
      registry(store, with.formatted("p"), with.formatted("p").replace("a.p12", "b.p12"), schemas);
      registry(store + "-password", with.formatted("p"), with.formatted("q"), registry);
    }
  }

  private static void registry(
      String key, String from, String to, Function<ApplicationSettings, Object> effect) {
    String url = "url: 'http://here:1'";
    String other = key.equals("url") ? to.substring(2) : url + to;
    free(
        "input.registry." + key,
        RecordFiles.REGISTRY.replace(url, url + from),
        RecordFiles.REGISTRY.replace(url, other),
        effect);
  }

  /** Keys that say what missing numbers and time stamps become. */
  private static void readings() {
    Function<ApplicationSettings, Object> dense = app -> app.input().schema().dense();
    String mean = CSV.replace("{format", "{missing: mean, format");
    identity("input.missing", CSV, mean, dense);
    identity(
        "input.missing-indicator",
        mean,
        mean.replace("mean,", "mean, missing-indicator: true,"),
        dense);
    identity(
        "input.missing-values",
        mean,
        mean.replace("mean,", "mean, missing-values: ['?', '-200'],"),
        dense);
    identityOfInput("input.features.missing", "[a, b]", "[a, {name: b, missing: zero}]", dense);
    String zero = CSV.replace("[a, b]", "[a, {name: b, missing: zero}]");
    identity(
        "input.features.missing-indicator",
        zero,
        zero.replace("zero", "zero, missing-indicator: true"),
        dense);
    identity(
        "input.features.missing-values",
        zero,
        zero.replace("zero", "zero, missing-values: [none]"),
        dense);
    identityOfInput(
        "input.features.time", "[a, b]", "[a, {name: b, time: [hour, week-cycle]}]", dense);
  }

  private static void model() {
    Function<ApplicationSettings, Object> network = app -> app.model().network();
    identity(
        "model.type",
        CNN,
        CNN.replace("type: cnn, image: {height: 4, width: 4, channels: 1}", ""),
        network);
    identity("model.hidden", CSV, CSV + "model: {hidden: [4]}\n", network);
    Function<ApplicationSettings, Object> history = app -> app.input().schema().history();
    identity("history.key", CSV + "history: {key: site}\n", CSV + "history: {key: at}\n", history);
    identity("history.labels", CSV + "history: {}\n", CSV + "history: {labels: 2}\n", history);
    identity("history.changes", CSV + "history: {}\n", CSV + "history: {changes: off}\n", history);
    free(
        "history.keys",
        CSV + "history: {key: site}\n",
        CSV + "history: {key: site, keys: 5}\n",
        history);
    identity("model.members", CSV, CSV + "model: {members: 2}\n", network);
    identity(
        "model.standardize",
        CSV,
        CSV + "model: {standardize: off}\n",
        app -> app.model().standardize());
    identity(
        "model.image", CNN, CNN.replace("height: 4, width: 4", "height: 2, width: 8"), network);
    identity(
        "model.image.height",
        CNN,
        CNN.replace("height: 4, width: 4", "height: 8, width: 2"),
        network);
    identity(
        "model.image.width",
        CNN,
        CNN.replace("height: 4, width: 4", "height: 8, width: 2"),
        network);
    identity(
        "model.image.channels",
        CNN,
        CNN.replace("width: 4, channels: 1", "width: 2, channels: 2"),
        network);
    identity("model.filters", CNN, CNN.replace("cnn,", "cnn, filters: [4],"), network);
    identity("model.dense", CNN, CNN.replace("cnn,", "cnn, dense: 8,"), network);
    identity("model.file", DL4J, DL4J.replace("one", "two"), network);
    identity("model.file", SAME_DIFF, SAME_DIFF.replace("one", "two"), network);
    identity(
        "model.output", SAME_DIFF, SAME_DIFF.replace("one.fb", "one.fb, output: more"), network);
    identity(
        "model.features", SAME_DIFF, SAME_DIFF.replace("one.fb", "in.fb, features: in"), network);
    identity("training.updater", CSV, CSV + "training: {updater: sgd}\n", app -> app.model().fit());
    String targets = CSV.replace("classes: 2", "task: regression") + "training: {%s}\n";
    Function<ApplicationSettings, Object> loss = app -> app.model().loss();
    identity("training.loss", targets.formatted(""), targets.formatted("loss: poisson"), loss);
    identity(
        "training.quantile",
        targets.formatted("loss: quantile, quantile: 0.9"),
        targets.formatted("loss: quantile, quantile: 0.8"),
        loss);
    identity(
        "training.huber-delta",
        targets.formatted("loss: huber"),
        targets.formatted("loss: huber, huber-delta: 2"),
        loss);
    free("training.mini-batch", "training", "", "64", app -> app.model().fit().miniBatch());
    free("training.epochs", "training", "", "3", app -> app.model().fit().epochs());
    free("training.learning-rate", "training", "", "0.1", app -> app.model().fit().learningRate());
    free("training.time-limit", "training", "", "5m", app -> app.model().fit().timeLimitSeconds());
    String one = CSV + "model: {members: 1}\n";
    free("training.engine", one, one + "training: {engine: deeplearning4j}\n", app -> app.engine());
    free("training.l2", "training", "", "0.1", app -> app.model().fit().l2());
  }

  private static void update() {
    update("rule", "", "manual", app -> app.update().rule());
    update("waiting-samples-per-training-second", "", "3", app -> app.update().weight());
    update(
        "machine-price-per-second",
        "",
        "3, staleness-price-per-sample-second: 1",
        app -> app.update().weight());
    update(
        "staleness-price-per-sample-second",
        "",
        "1, machine-price-per-second: 3",
        app -> app.update().weight());
    update("zeta", "rule: dla", "2", app -> app.update().tuning().zeta());
    update("omega", "rule: area", "2", app -> app.update().tuning().omega());
    update("rho", "", "3", app -> app.update().tuning().rho());
    update("newest", "rule: area", "include", app -> app.update().tuning().includeNewest());
    update("draw", "rule: dla-random", "update", app -> app.update().tuning().draw());
    update("seed", "rule: dla-random", "9", app -> app.update().tuning().seed());
    update("period", "rule: periodic", "9s", app -> app.update().tuning().periodSeconds());
    update("count", "rule: count", "9", app -> app.update().tuning().count());
    update("max-batch", "", "9", app -> app.update().limits().maxBatch());
    update("max-wait", "", "9s", app -> app.update().limits().maxWaitSeconds());
    update("min-interval", "", "9s", app -> app.update().limits().minIntervalSeconds());
    update("quality", "", "{detector: adwin}", app -> app.update().drift());
    free(
        "update.quality.detector",
        CSV,
        CSV + "update: {quality: {detector: adwin}}\n",
        app -> app.update().drift().detector());
    free(
        "update.quality.seconds-per-loss",
        CSV + "update: {quality: {detector: adwin}}\n",
        CSV + "update: {quality: {detector: adwin, seconds-per-loss: 9}}\n",
        app -> app.update().drift().secondsPerLoss());
  }

  private static void selection() {
    selection("contribution", "score: fitted", "loss", app -> app.data().staging().contribution());
    selection("score", "", "contribution", app -> app.data().staging().score());
    selection("rules-file", "score: rules", "rules.fcl", app -> app.data().staging().rulesName());
    selection("max-age", "", "9", app -> app.data().staging().maxAgeUpdates());
    selection("policy", "", "uniform", app -> app.data().replay().policy());
    selection("mature", "", "0.5", app -> app.data().replay().ratios());
    selection("preserve", "", "0.5", app -> app.data().replay().ratios());
    selection("discard", "", "0.5", app -> app.data().replay().ratios());
    selection("search", "", "true", app -> app.data().replay().search());
    selection("replay-budget", "", "9", app -> app.data().replay().budget());
    selection("steady-share", "", "0.5", app -> app.data().replay().steadyShare());
    selection("newborns", "", "open", app -> app.data().replay().newborns());
    selection("max-samples", "", "9000", app -> app.data().maxSamples());
    selection("max-bytes", "", "9MiB", app -> app.data().maxBytes());
    selection("max-unlabeled", "", "9", app -> app.data().maxUnlabeled());
    selection("label-wait", "", "9s", app -> app.data().labelWaitMillis());
    selection("eviction", "", "random", app -> app.data().eviction());
    String withIds = CSV.replace("label: y", "label: y, id: id");
    free(
        "selection.forget",
        withIds,
        withIds + "selection: {forget: {within: 2h}}\n",
        app -> app.data().forget());
    free(
        "selection.forget.within",
        withIds,
        withIds + "selection: {forget: {within: 2h}}\n",
        app -> app.data().forget().withinMillis());
    free(
        "selection.forget.anchors",
        withIds + "selection: {forget: {within: 2h}}\n",
        withIds + "selection: {forget: {within: 2h, anchors: 4}}\n",
        app -> app.data().forget().anchors());
  }

  private static void memory() {
    memory("slow-directory", "slow", app -> app.memory().slowDirectory());
    memory("hot-bytes", "1MiB", app -> app.memory().hotBytes());
    memory("hot-policy", "lru", app -> app.memory().hotPolicy());
    memory("fast-bytes", "64MiB", app -> String.valueOf(app.memory().budget()));
    memory("hot-plan", "on", app -> app.memory().hotPlan());
    memory("shared-directory", "shared", app -> app.memory().sharedDirectory());
    memory("tensors", "{fast-bytes: 1MiB}", app -> app.memory().tensors());
    tensors("fast-bytes", "1MiB", app -> app.memory().tensors().fastBytes());
    tensors("slow-directory", "slow", app -> app.memory().tensors().slowDirectory());
    tensors("slow-bytes", "9MiB", app -> app.memory().tensors().slowBytes());
    tensors("slow-access", "direct", app -> app.memory().tensors().access());
    tensors("policy", "all-slow", app -> app.memory().tensors().policy());
    lending();
  }

  private static void lending() {
    Function<ApplicationSettings, Object> all = app -> app.memory().lending();
    String token = "lending: {token: 0123456789abcdef}";
    String lends = CSV + "memory: {lend-bytes: 16MiB, " + token + "}\n";
    String borrows =
        CSV
            + "memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 8MiB, lenders: ['localhost:1']}, "
            + token
            + "}\n";
    free("memory.lend-bytes", lends, lends.replace("16MiB", "32MiB"), all);
    free("memory.lending", CSV, lends, all);
    free("memory.lending.token", lends, lends.replace("0123", "4567"), all);
    String elsewhere = lends.replace("{token", "{listen: 'localhost:9', token");
    free("memory.lending.listen", lends, elsewhere, all);
    String stores = "kafka: {properties: {ssl.keystore.location: keys.p12}}\n";
    String tls = lends.replace("{token", "{tls: on, token") + stores;
    free("memory.lending.tls", lends + stores, tls, all);
    free("memory.tensors.borrow-bytes", borrows, borrows.replace("8MiB", "9MiB"), all);
    free(
        "memory.tensors.place-order",
        borrows,
        borrows.replace("8MiB", "8MiB, place-order: lent-first"),
        all);
    free("memory.lending.topic", lends, lends.replace("{token", "{topic: lenders, token"), all);
    free("memory.tensors.lenders", borrows, borrows.replace("localhost:1", "localhost:2"), all);
  }

  private static void embeddings() {
    Function<ApplicationSettings, Object> ids = app -> app.input().schema().ids();
    Function<ApplicationSettings, Object> all = app -> app.model().embeddings();
    Function<ApplicationSettings, Object> limits = app -> app.memory().rows();
    Function<ApplicationSettings, Object> network = app -> app.model().network();
    identity("input.ids", IDS, IDS.replace("[user", "[item"), ids);
    identity("input.ids.name", IDS, IDS.replace("tags", "words"), ids);
    identity("input.ids.at-most", IDS, IDS.replace("3", "4"), ids);
    identity("embeddings", CRITEO, CRITEO + "embeddings: {dim: 8}\n", ids);
    identity("embeddings.dim", IDS, IDS.replace("8", "4"), all);
    identity("embeddings.pooling", IDS, IDS.replace("8", "8, pooling: sum"), all);
    identity("embeddings.updater", IDS, IDS.replace("8", "8, updater: adam"), all);
    String table = IDS.replace("8", "8, tables: [{name: t, features: [tags]}]");
    identity("embeddings.tables", IDS, table, all);
    identity("embeddings.tables.name", table, table.replace("t,", "u,"), all);
    identity("embeddings.tables.dim", table, table.replace("t,", "t, dim: 4,"), all);
    identity("embeddings.tables.features", table, table.replace("[tags]", "[user]"), all);
    identity(
        "embeddings.tables.rows",
        table,
        table.replace("t,", "t, rows: 9,"),
        app -> app.input().schema().ids());
    String fixed = table.replace("t,", "t, rows: 9,");
    identity(
        "embeddings.tables.index",
        fixed,
        fixed.replace("t,", "t, index: number,"),
        app -> app.input().schema().ids());
    identity("embeddings.tables.pooling", table, table.replace("t,", "t, pooling: sum,"), all);
    rowLimit("learning-rate", "0.1", all);
    rowLimit("initial-scale", "0.1", all);
    rowLimit("admit-after", "3", limits);
    rowLimit("most-rows", "1000", limits);
    rowLimit("expire-unused-after", "30d", limits);
    for (String rule : List.of("expire-rare", "expire-small")) {
      String bound = IDS.replace("8}", "8, %s: {below: 3}}".formatted(rule));
      String key = "embeddings." + rule;
      free(key, IDS, bound, limits);
      free(key + ".below", bound, bound.replace("3}}", "4}}"), limits);
      free(key + ".unused-for", bound, bound.replace("3}}", "3, unused-for: 2d}}"), limits);
    }
    String filter = IDS.replace("8}", "8, admit-after: 2, admission-counter: bloom}");
    free("embeddings.admission-counter", filter, filter.replace("bloom", "both"), limits);
    String expected = filter.replace("bloom", "bloom, expected-ids: 5000");
    free("embeddings.expected-ids", filter, expected, limits);
    String admitted = filter.replace("bloom", "bloom, false-admissions: 0.1");
    free("embeddings.false-admissions", filter, admitted, limits);
    free("memory.rows.slow-bytes", IDS, IDS + "memory: {rows: {slow-bytes: 1GiB}}\n", limits);
    free("memory.rows", IDS, IDS + "memory: {rows: {fast-bytes: 1MiB}}\n", limits);
    free("memory.rows.fast-bytes", IDS, IDS + "memory: {rows: {fast-bytes: 1MiB}}\n", limits);
    free("memory.rows.policy", IDS, IDS + "memory: {rows: {policy: static}}\n", limits);
    identity("model.bottom", DLRM, DLRM.replace("dlrm", "dlrm, bottom: [8]"), network);
    identity("model.top", DLRM, DLRM.replace("dlrm", "dlrm, top: [8]"), network);
    identity("model.type", DLRM, DLRM.replace("dlrm", "wide-and-deep"), network);
  }

  /**
   * Keys without a row of their own: the name, by which state and models are found; sections; and
   * an engine that needs a jar which is not part of the product.
   */
  private static final Set<String> ELSEWHERE =
      Set.of(
          ("name input model training update selection memory publishing kafka history mixing"
                  + " comparison selection.rules-engine")
              .split(" "));

  private YamlFile file(String text) throws Exception {
    Path path = folder.resolve("app.yaml");
    Files.writeString(path, text);
    return new YamlFile(path, name -> null);
  }

  private ApplicationSettings read(String text) throws Exception {
    file(text);
    return ApplicationFileReader.read(folder.resolve("app.yaml"), name -> null);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void key_isIdentity_orFreeWithAnEffect(Row row) throws Exception {
    ApplicationSettings base = read(row.base());
    ApplicationSettings changed = read(row.changed());
    assertThat(row.effect().apply(changed)).isNotEqualTo(row.effect().apply(base));
    List<String> differences = SettingsIdentity.of(base).differences(SettingsIdentity.of(changed));
    if (row.change() == Change.FREE) {
      assertThat(differences).isEmpty();
    } else {
      assertThat(differences).isNotEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void key_isDocumented(Row row) throws Exception {
    String name = row.key().substring(row.key().lastIndexOf('.') + 1);
    StringBuilder pages = new StringBuilder();
    for (Path page : PAGES) {
      pages.append(Files.readString(page));
    }
    assertThat(pages.toString()).containsPattern("(?s)\\b" + name + "\\b");
  }

  @Test
  void table_hasEveryKeyThatTheReaderKnows() throws Exception {
    Set<String> known = new TreeSet<>();
    for (String text :
        rows().flatMap(row -> Stream.of(row.base(), row.changed())).collect(Collectors.toSet())) {
      YamlFile file = file(text);
      ApplicationFileReader.read(
          new Section(file, "", java.util.Objects.requireNonNull(file.read())),
          folder.resolve("app.yaml"),
          NetworkChecks.NONE);
      assertThat(file.problems()).as(text).isEmpty();
      known.addAll(file.keys().paths());
    }
    known.removeIf(key -> key.startsWith("kafka.properties."));
    Set<String> rows = rows().map(Row::key).collect(Collectors.toCollection(TreeSet::new));
    rows.addAll(ELSEWHERE);
    assertThat(known).as("keys of the reader without a row in this table").isSubsetOf(rows);
    assertThat(rows).as("rows of this table that the reader does not know").isSubsetOf(known);
  }
}
