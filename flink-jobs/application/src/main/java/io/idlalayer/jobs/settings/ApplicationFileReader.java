package io.idlalayer.jobs.settings;

import io.idlalayer.datacontroller.settings.DataSettings.ContributionMode;
import io.idlalayer.jobs.settings.comparison.ComparisonSettings;
import io.idlalayer.jobs.settings.keys.KeyForms;
import io.idlalayer.jobs.settings.lending.LendingProblems;
import io.idlalayer.jobs.settings.lending.LendingSettings;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.jobs.settings.memory.FastBytesKeys;
import io.idlalayer.jobs.settings.memory.Tensors;
import io.idlalayer.jobs.settings.mixing.MixingSettings;
import io.idlalayer.jobs.settings.mixing.PartitionedTable;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.memory.places.PlaceOrder;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;

/** Reads an application file and reports everything that is wrong with it at once. */
public final class ApplicationFileReader {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");
  private static final Pattern TOPIC_PREFIX = Pattern.compile("[A-Za-z0-9._-]{0,200}");
  static final long MOST_MEMORY_BYTES = 16L << 40;
  private static final long SEED = 42;

  /** Properties of Kafka clients that the product sets itself. */
  private static final Set<String> OWN_PROPERTIES =
      Set.of(
          "bootstrap.servers",
          "group.id",
          "key.serializer",
          "value.serializer",
          "key.deserializer",
          "value.deserializer",
          "enable.auto.commit",
          "auto.offset.reset",
          "transactional.id",
          "enable.idempotence",
          "acks");

  private ApplicationFileReader() {}

  /**
   * Reads a file in a process that trains nothing.
   *
   * @param environment value of an environment variable, null if it is not set
   * @throws SettingsException with every problem of the file
   */
  public static ApplicationSettings read(Path path, Function<String, @Nullable String> environment)
      throws SettingsException {
    return read(path, environment, NetworkChecks.NONE);
  }

  /**
   * Reads an application file, including the checks of its network that only a process that trains
   * can make.
   *
   * @param environment returns the value of an environment variable, null if it is not set
   * @param checks checks of the file's network
   * @throws SettingsException with every problem of the file
   */
  public static ApplicationSettings read(
      Path path, Function<String, @Nullable String> environment, NetworkChecks checks)
      throws SettingsException {
    YamlFile file = new YamlFile(path, environment);
    Node root = file.read();
    ApplicationSettings settings =
        root == null ? null : read(new Section(file, "", root), path, checks);
    List<Problem> problems = file.problems();
    if (settings == null || !problems.isEmpty()) {
      throw new SettingsException(
          problems.stream().sorted(java.util.Comparator.comparingInt(Problem::line)).toList());
    }
    return settings;
  }

  /**
   * Returns all keys that can be read, and the forms of their values. They are collected by reading
   * sample files that together have every section and every type of model.
   */
  public static KeyForms keys() {
    KeyForms keys = new KeyForms();
    for (String text : keyProbes()) {
      YamlFile file = new YamlFile(Path.of("probe.yaml"), name -> null);
      ApplicationSettings unused =
          read(new Section(file, "", file.node(text)), file.path(), NetworkChecks.NONE);
      keys.merge(file.keys());
    }
    return keys;
  }

  static List<String> keyProbes() {
    try (InputStream in =
        Objects.requireNonNull(
            ApplicationFileReader.class.getResourceAsStream("key-probes.yaml"))) {
      return List.of(new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n---\n", -1));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  static ApplicationSettings read(Section root, Path path, NetworkChecks checks) {
    String name = root.required("name");
    if (!name.isEmpty() && !NAME.matcher(name).matches()) {
      root.problem(
          "name",
          root.shown(name)
              + " is not a name: letters, digits, dot, dash and underscore, at most 100");
    }
    int partitions = root.integer("partitions", 1, 1, ApplicationSettings.MOST_PARTITIONS);
    long seed = root.wholeNumber("seed", SEED);
    if (!root.has("input")) {
      root.problem("input", "is missing: where the events come from and what they mean");
    }
    ModelSection model =
        new ModelSection(root.section("model"), root.section("training"), path, checks);
    boolean hasTables = model.hasTables() || root.has("embeddings");
    InputReader inputs = new InputReader(root, name);
    ApplicationSettings.Input events = inputs.read(hasTables);
    TargetLoss loss = model.loss(events.schema().label().task());
    ApplicationSettings.Input plain = events.with(accepting(loss, events.schema()));
    EmbeddingsReader embeddings = new EmbeddingsReader(root, plain.schema());
    ModelSpec.Embeddings tables = embeddings.read(model.needsOneDim());
    ApplicationSettings.Input input = plain.with(embeddings.schema());
    ModelSection.Model trained = model.read(input.schema(), tables, loss);
    QualityMetric metric = metric(root, input.schema(), loss);
    ApplicationSettings.Publishing publishing =
        PublishingReader.read(root.section("publishing"), metric, hasTables);
    if (!trained.spec().standardize()
        && input.schema().dense().stream()
            .anyMatch(each -> each.reading().missing() == SampleSchema.Missing.MEAN)) {
      root.section("input")
          .problem(
              "missing",
              "the mean is known only with 'model.standardize: true': set that, or say zero");
    }
    if (input.schema().history() != null && partitions > 1) {
      root.section("history")
          .problem(
              "key",
              "the events of a key must be in one partition: leave 'partitions' out or say 1");
    }
    // A network that cannot be read allows no further checks.
    boolean known = root.problemCount() == 0;
    ApplicationSettings settings =
        new ApplicationSettings(
            name,
            partitions,
            seed,
            input,
            trained.spec(),
            trained.engine(),
            UpdateReader.update(root.section("update")),
            new SelectionReader(root.section("selection"), path, !input.schema().ids().isEmpty())
                .read()
                .withDefaultWeight(defaultWeight(input.schema()))
                .with(inputs.byDefault()),
            publishing,
            memory(root.section("memory"), embeddings, trained.spec()),
            kafka(root.section("kafka"), name),
            metric,
            trained.references(),
            mixing(root.section("mixing")),
            comparison(root.section("comparison"), input.schema().ids().isEmpty()),
            trained.start());
    checkMixing(root, settings);
    checkForgetting(root, settings);
    for (TopicRoles.Conflict conflict : new TopicRoles().add(settings)) {
      Section section = root;
      String key = conflict.key();
      for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.')) {
        section = section.section(key.substring(0, dot));
        key = key.substring(dot + 1);
      }
      section.problem(key, conflict.message());
    }
    if (loss.kind() == TargetLoss.Kind.POISSON && inputs.byDefault().label() < 0) {
      root.section("input")
          .section("labels")
          .problem("default", "is below 0; with 'training.loss: poisson' a target is at least 0");
    }
    if (input.labels() != null && settings.data().maxUnlabeled() == 0) {
      root.section("selection")
          .problem(
              "max-unlabeled", "with 'input.labels' events wait for their labels: say more than 0");
    }
    if (settings.data().maxBytes() / 4 < input.maxEventBytes()) {
      root.section("selection")
          .problem(
              "max-bytes",
              "must be at least 4 x input.max-event-bytes, so that the largest event finds room");
    }
    if (settings.data().needsHeldOutModel() && !settings.model().embeddings().tables().isEmpty()) {
      root.section("selection")
          .problem(
              settings.data().staging().contribution() == ContributionMode.REDUCIBLE_LOSS
                  ? "contribution"
                  : "policy",
              "reducible-loss trains a second network, which would need tables of its own: choose"
                  + " another one");
    }
    if (known && publishing.onnx()) {
      checks
          .onnx(settings.model())
          .ifPresent(
              why ->
                  root.section("publishing")
                      .problem("onnx", "the network is not written as ONNX: " + why));
    }
    tellLending(root.section("memory"), settings);
    if (known && settings.memory().tensors().placed()) {
      unplaced(settings, checks)
          .map(
              why ->
                  settings.memory().divides(FastUse.TENSORS)
                      ? why + ". Set it to 0, so that 'memory.fast-bytes' has no part for tensors"
                      : why)
          .ifPresent(why -> root.section("memory").section("tensors").problem("fast-bytes", why));
    }
    root.finish();
    return settings;
  }

  private static MixingSettings mixing(Section section) {
    MixingSettings none = MixingSettings.NONE;
    double wait = section.seconds("wait", none.waitSeconds());
    if (section.has("wait") && !(wait > 0 && wait <= MixingSettings.LONGEST_WAIT_SECONDS)) {
      section.problem(
          "wait", "must be above 0 and at most 1m; it is how long a round waits for a learner");
      wait = none.waitSeconds();
    }
    MixingSettings mixing =
        new MixingSettings(
            section.choice("action", none.action(), MixingSettings.Action.values()),
            wait,
            section.text("partition-by"));
    for (String key : List.of("wait", PartitionedTable.KEY)) {
      if (!mixing.on() && section.has(key)) {
        section.problem(key, "takes effect with 'action: average' only");
      }
    }
    section.finish();
    return mixing;
  }

  /**
   * @param possible whether older versions can be tested; they cannot if the model has tables,
   *     because rows of older versions are not kept
   */
  private static ComparisonSettings comparison(Section section, boolean possible) {
    int every =
        section.integer("every", ComparisonSettings.DEFAULT_EVERY, 0, ComparisonSettings.MOST);
    if (!possible && section.has("every") && every > 0) {
      section.problem(
          "every", "versions of models with embedding tables are not compared: leave this out");
    }
    section.finish();
    return possible ? new ComparisonSettings(every) : ComparisonSettings.NONE;
  }

  /**
   * Reports, all at once, the settings with which the models of several partitions cannot be mixed.
   */
  private static void checkMixing(Section root, ApplicationSettings settings) {
    if (!settings.mixing().on()) {
      return;
    }
    Section section = root.section("mixing");
    if (settings.partitions() == 1) {
      section.problem("action", "one partition has nothing to mix: say 'partitions: 2' or more");
    }
    PartitionedTable.problems(settings.mixing(), settings.model(), settings.partitions())
        .forEach(problem -> section.problem(PartitionedTable.KEY, problem));
    if (settings.model().network() instanceof ModelSpec.Network.SameDiffGraph) {
      section.problem("action", "a SameDiff graph is not mixed: choose another model.type");
    }
    if (settings.start() != null) {
      section.problem(
          "action", "a mixed model begins with no file: leave 'model.start' out, or mixing");
    }
    checkMixedGate(root.section("publishing").section("gate"), settings.publishing().gate());
    boolean compares = settings.publishing().gate().action() != GateSettings.Action.OFF;
    if (compares && settings.model().embeddings().tables().size() > 1) {
      root.section("publishing")
          .section("gate")
          .problem(
              "action",
              "mixed models with rows that every partition uses are not compared: leave this out,"
                  + " or have one table");
    }
    if (root.section("comparison").given("every") && settings.comparison().on()) {
      root.section("comparison")
          .problem("every", "versions of mixed models are not compared: leave this out, or mixing");
    }
  }

  /** Reports, all at once, the settings of the release gate that do not work with mixed models. */
  private static void checkMixedGate(Section section, GateSettings gate) {
    if (gate.action() == GateSettings.Action.WARN) {
      section.problem(
          "action",
          "a mixed model is compared only before it is published: say 'hold', or leave this out");
    }
    if (gate.afterPublishing() != GateSettings.AfterPublishing.OFF) {
      section.problem(
          "after-publishing",
          "a mixed version is not compared once it serves: leave this out, or mixing");
    }
    if (gate.continueFrom() == GateSettings.ContinueFrom.IN_SERVICE) {
      section.problem(
          "continue-from",
          "learners go on from their own models if a mixed one is refused: leave this out, or"
              + " mixing");
    }
    if (gate.trustedFile() != null) {
      section.problem(
          "trusted-file",
          "mixed models are compared on the samples that arrive at all partitions: leave this out,"
              + " or mixing");
    }
  }

  /** Reports, all at once, the settings with which samples cannot be forgotten. */
  private static void checkForgetting(Section root, ApplicationSettings settings) {
    if (!settings.data().forget().on()) {
      return;
    }
    Section section = root.section("selection").section("forget");
    if (settings.input().schema().id() == null) {
      section.problem(
          "within", "events have no ids by which to forget them: say 'input.id', or leave it out");
    }
    if (!settings.input().schema().ids().isEmpty()) {
      section.problem(
          "within",
          "models with embedding tables cannot forget samples: leave 'input.ids' out, or selection.forget");
    }
    if (settings.mixing().on()) {
      section.problem(
          "within", "mixed models cannot forget samples: leave 'mixing' out, or selection.forget");
    }
    if (settings.start() != null) {
      section.problem(
          "within",
          "a model that begins with a file cannot forget samples: leave 'model.start' out, or selection.forget");
    }
    if (settings.publishing().gate().compares()) {
      section.problem(
          "within",
          "the release gate may put a version in service again that has learned from the sample:"
              + " leave 'publishing.gate' out, or selection.forget");
    }
  }

  /** Returns the schema with a label that accepts only targets for which the loss is defined. */
  private static SampleSchema accepting(TargetLoss loss, SampleSchema schema) {
    SampleSchema.Label label = schema.label();
    return loss.kind() == TargetLoss.Kind.POISSON
        ? schema.with(
            new SampleSchema.Label(
                label.name(), label.task(), label.classes(), SampleSchema.Targets.NOT_NEGATIVE))
        : schema;
  }

  /** Reads the metric of the application. Only metrics that fit its label are accepted. */
  private static QualityMetric metric(Section root, SampleSchema schema, TargetLoss loss) {
    SampleSchema.Label label = schema.label();
    QualityMetric usual = usual(label, !schema.ids().isEmpty(), loss);
    root.words("metric", Stream.of(QualityMetric.values()).map(QualityMetric::key).toList());
    String named = root.text("metric");
    if (named == null) {
      return usual;
    }
    boolean quantile = loss.kind() == TargetLoss.Kind.QUANTILE;
    List<QualityMetric> fitting =
        QualityMetric.fitting(label).stream()
            .filter(each -> quantile || each != QualityMetric.QUANTILE_LOSS)
            .toList();
    Optional<QualityMetric> found =
        fitting.stream().filter(each -> each.key().equals(named)).findFirst();
    if (found.isEmpty()) {
      root.problem("metric", unfitting(root.shown(named), label, fitting));
    }
    return found.orElse(usual);
  }

  /**
   * Returns the default metric: for models that minimise a given loss, the metric that this loss
   * optimises.
   */
  private static QualityMetric usual(SampleSchema.Label label, boolean ids, TargetLoss loss) {
    return switch (loss.kind()) {
      case QUANTILE -> QualityMetric.QUANTILE_LOSS;
      case POISSON -> QualityMetric.RMSE;
      case SQUARED, ABSOLUTE, HUBER -> QualityMetric.usual(label, ids);
    };
  }

  private static String unfitting(
      String named, SampleSchema.Label label, List<QualityMetric> fitting) {
    String of =
        label.task() == SampleSchema.Task.REGRESSION
            ? "targets"
            : label.classes().size() == 2 ? "two classes" : "more than two classes";
    return fitting.stream()
        .map(QualityMetric::key)
        .collect(Collectors.joining(", ", named + " is not a metric of " + of + ": choose ", ""));
  }

  /**
   * Returns why tensors cannot be placed on two devices although the application asks for it; empty
   * if they can be placed.
   */
  private static Optional<String> unplaced(ApplicationSettings settings, NetworkChecks checks) {
    if (settings.engine() == EngineName.DEEPLEARNING4J) {
      return Optional.of(
          "only iDlaLayer's engine places tensors: leave this out, or training.engine");
    }
    try {
      return checks
          .engine(settings.model(), true)
          .map(why -> "only iDlaLayer's engine places tensors, and it cannot train this: " + why);
    } catch (OutOfMemoryError here) {
      // The process that trains can have more memory, and checks this itself.
      return Optional.empty();
    }
  }

  /**
   * Returns the weight of events without one; NaN if such events are refused, or if there are no
   * weights.
   */
  private static double defaultWeight(SampleSchema schema) {
    SampleSchema.Weight weight = schema.weight();
    return weight == null ? Double.NaN : weight.otherwise();
  }

  private static ApplicationSettings.Memory memory(
      Section section, EmbeddingsReader embeddings, ModelSpec spec) {
    String slow = section.directory("slow-directory");
    String unusable = slow == null ? null : FolderNames.problem(Path.of(slow));
    if (unusable != null) {
      section.problem("slow-directory", unusable);
    }
    Section tensors = section.section("tensors");
    long hotBytes =
        section.bytes(
            "hot-bytes", ApplicationSettings.Memory.DEFAULT_HOT_BYTES, 0, MOST_MEMORY_BYTES);
    boolean hotPlan = section.flag("hot-plan", false);
    String shared = section.directory("shared-directory");
    boolean rowsGiven = section.section("rows").given("fast-bytes");
    RowSettings rows = embeddings.rows(section.section("rows"), spec);
    long tensorBytes = tensors.bytes("fast-bytes", 0, 0, MOST_MEMORY_BYTES);
    PlacementName policy = tensors.choice("policy", PlacementName.AUTO, PlacementName.values());
    Map<FastUse, Long> fixed = new EnumMap<>(FastUse.class);
    if (section.given("hot-bytes")) {
      fixed.put(FastUse.SAMPLES, hotBytes);
    }
    if (rowsGiven) {
      fixed.put(FastUse.ROWS, rows.fastBytes());
    }
    if (tensors.given("fast-bytes")) {
      fixed.put(FastUse.TENSORS, tensorBytes);
    }
    FastBytesKeys keys =
        new FastBytesKeys(
            section.bytes("fast-bytes", 0, 0, MOST_MEMORY_BYTES),
            fixed,
            !spec.embeddings().tables().isEmpty(),
            new FastBytesKeys.Beside(hotPlan, shared != null, rows.policy(), policy));
    for (FastBytesKeys.Found found : keys.problems()) {
      Section in =
          switch (found.section()) {
            case "" -> section;
            case "rows" -> section.section("rows");
            default -> tensors;
          };
      in.problem(found.key(), found.message());
    }
    FastBudget budget = keys.budget();
    long begins = budget == null ? 0 : budget.initialBytes();
    ApplicationSettings.Memory memory =
        new ApplicationSettings.Memory(
            slow,
            budget != null && budget.divides(FastUse.SAMPLES) ? begins : hotBytes,
            section.choice("hot-policy", PolicyName.ADAPTIVE, PolicyName.values()),
            hotPlan,
            tensors(
                tensors,
                budget != null && budget.divides(FastUse.TENSORS) ? begins : tensorBytes,
                policy,
                budget != null && budget.divides(FastUse.TENSORS)
                    ? budget.dividedBytes()
                    : Tensors.DEFAULT_SLOW_RATIO * tensorBytes),
            budget != null && budget.divides(FastUse.ROWS)
                ? rows.resizable(begins, budget.mostBytes())
                : rows,
            shared,
            lending(section, tensors),
            budget);
    tensors.finish();
    if (memory.hotBytes() == 0) {
      section.idle("hot-policy", memory.hotPolicy(), PolicyName.ADAPTIVE, "'hot-bytes' above 0");
      section.idle("hot-plan", memory.hotPlan(), false, "'hot-bytes' above 0");
      section.idle(
          "shared-directory", memory.sharedDirectory() != null, false, "'hot-bytes' above 0");
    }
    section.finish();
    return memory;
  }

  private static void tellLending(Section memory, ApplicationSettings settings) {
    for (LendingProblems.Found problem :
        LendingProblems.of(
            settings.memory().lending(),
            settings.memory().tensors(),
            settings.kafka().properties())) {
      Section section = memory;
      for (String name : problem.sections()) {
        section = section.section(name);
      }
      section.problem(problem.key(), problem.message());
    }
  }

  private static LendingSettings lending(Section memory, Section tensors) {
    long borrowBytes = tensors.bytes("borrow-bytes", 0, 0, MOST_MEMORY_BYTES);
    List<LenderAddress> lenders = new ArrayList<>();
    for (String text : tensors.names("lenders")) {
      LenderAddress lender = address(tensors, "lenders", text);
      if (lender != null) {
        lenders.add(lender);
      }
    }
    Section section = memory.section("lending");
    LenderAddress listen =
        address(
            section, "listen", section.text("listen", LendingSettings.DEFAULT_LISTEN.toString()));
    LendingSettings lending =
        new LendingSettings(
            memory.bytes("lend-bytes", 0, 0, MOST_MEMORY_BYTES),
            listen == null ? LendingSettings.DEFAULT_LISTEN : listen,
            borrowBytes,
            lenders,
            tensors.choice("place-order", PlaceOrder.COST, PlaceOrder.values()),
            section.text("token", ""),
            topic(section, "topic", ""),
            section.flag("tls", false));
    section.finish();
    return lending;
  }

  private static @Nullable LenderAddress address(Section section, String key, String text) {
    try {
      return LenderAddress.parse(text);
    } catch (IllegalArgumentException wrong) {
      section.problem(
          key,
          section.shown(text)
              + " is no address of a lender; HOST:PORT is expected, with a port of 1 to 65535");
      return null;
    }
  }

  /**
   * @param slowBytes default size of the slow device in bytes
   */
  private static Tensors tensors(
      Section section, long fastBytes, PlacementName policy, long slowBytes) {
    Tensors tensors =
        new Tensors(
            fastBytes,
            section.directory("slow-directory"),
            section.bytes("slow-bytes", slowBytes, 1),
            section.choice("slow-access", FileAccess.MAPPED, FileAccess.values()),
            policy);
    if (!tensors.placed()) {
      String only = "'fast-bytes' above 0";
      section.idle("slow-directory", tensors.slowDirectory() != null, false, only);
      section.idle("slow-bytes", tensors.slowBytes(), 0L, only);
      section.idle("slow-access", tensors.access(), FileAccess.MAPPED, only);
      section.idle("policy", tensors.policy(), PlacementName.AUTO, only);
    }
    return tensors;
  }

  /**
   * Reads the name of a topic that the product owns; its default name was checked with the prefix.
   */
  private static String topic(Section section, String key, String byDefault) {
    String topic = section.text(key, byDefault);
    if (!topic.equals(byDefault) && !TOPIC.matcher(topic).matches()) {
      section.problem(key, section.shown(topic) + " is not a Kafka topic name");
    }
    return topic;
  }

  private static ApplicationSettings.Kafka kafka(Section section, String name) {
    String prefix = section.text("topic-prefix", name + "-");
    if (!TOPIC_PREFIX.matcher(prefix).matches() && !name.isEmpty()) {
      section.problem("topic-prefix", section.shown(prefix) + " cannot start a Kafka topic name");
    }
    String status = topic(section, "status-topic", ApplicationSettings.Kafka.statusTopic(prefix));
    String control = topic(section, "control-topic", prefix + "control");
    String subscribers =
        topic(section, "subscribers-topic", ApplicationSettings.Kafka.subscribersTopic(prefix));
    Section propertySection = section.section("properties");
    Map<String, String> properties = propertySection.entries();
    for (String key : properties.keySet()) {
      if (OWN_PROPERTIES.contains(key)) {
        propertySection.problem(key, "is set by iDlaLayer itself");
      }
    }
    String isolation = properties.get(KafkaClients.ISOLATION);
    if (isolation != null && !KafkaClients.ISOLATION_LEVELS.contains(isolation)) {
      propertySection.problem(
          KafkaClients.ISOLATION,
          "'%s' is none of %s".formatted(isolation, KafkaClients.ISOLATION_LEVELS));
    }
    String discovery = properties.get(KafkaClients.DISCOVERY);
    if (discovery != null && !KafkaClients.DISCOVERY_TIMES.matcher(discovery).matches()) {
      propertySection.problem(
          KafkaClients.DISCOVERY,
          "must be 1 to 999999999 milliseconds; without a search, added partitions would not be"
              + " read");
    }
    section.finish();
    return new ApplicationSettings.Kafka(prefix, status, control, subscribers, properties);
  }
}
