package io.idlalayer.jobs.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.ShortestText;
import io.idlalayer.middleware.sample.text.TextForm;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The settings on which stored samples, updater state and published models depend, by their keys in
 * the application file. State that was written with other values has another meaning, so a start
 * with other values is refused. All other settings can change from one start to the next.
 */
public final class SettingsIdentity {
  /** Advice to users whose changed settings were refused. */
  public static final String ADVICE =
      "Put these keys back to go on with what was learned. Features and classes may be added,"
          + " removed and put in another order, and missing and missing-values of features may"
          + " change. Everything else may change: update.*, selection.*, memory.*, publishing.*,"
          + " kafka.*, training.* but updater and loss, embeddings.* but dim, tables, pooling and"
          + " updater, history.keys, metric, model.references, mixing.wait, seed, input.start,"
          + " input.max-event-bytes and input.header. An"
          + " id-key is the file id-key of the work directory: bring that back (on your own Flink"
          + " it lies beside the models). To learn anew with the new values and drop the samples"
          + " and the model, start with --start-over.";

  /** Name of the manifest's attribute for the identity as {@link #json()}. */
  public static final String ATTRIBUTE = "settings";

  /** Name of the manifest's attribute for {@link #digest()}. */
  public static final String DIGEST_ATTRIBUTE = "settingsSha256";

  /** Keys of the settings of features. */
  public static final String COLUMNS = "input.columns";

  public static final String FEATURES = "input.features";
  public static final String CATEGORICAL = "input.categorical";
  public static final String IDS = "input.ids";
  public static final String CLASSES = "input.classes";
  public static final String TASK = "input.task";

  /** Keys of the settings of embedding tables. */
  public static final String TABLES = "embeddings.tables";

  public static final String POOLING = "embeddings.pooling";
  public static final String ROW_UPDATER = "embeddings.updater";

  private static final String TOPIC = "input.topic";
  private static final int KEY_DIGITS = 16;
  private static final int FORMAT_VERSION = 1;
  private static final int SHOWN_CHARACTERS = 160;
  private static final Pattern NUMBERED = Pattern.compile("(.*?)(0|[1-9]\\d{0,8})");
  private static final int SHORTEST_RUN = 3;
  private static final int LONGEST_RUN = 1_000_000;
  private static final ObjectMapper JSON = mapper();

  private final SortedMap<String, JsonNode> values;

  private SettingsIdentity(SortedMap<String, JsonNode> values) {
    this.values = values;
  }

  /** Returns the identity of an application's settings. */
  public static SettingsIdentity of(ApplicationSettings settings) {
    SortedMap<String, JsonNode> values = new TreeMap<>();
    values.put("partitions", number(settings.partitions()));
    if (settings.mixing().on()) {
      values.put("mixing.action", text(Section.name(settings.mixing().action())));
      String by = settings.mixing().partitionBy();
      if (by != null) {
        values.put("mixing.partition-by", text(by));
      }
    }
    input(settings.input(), values);
    // Contents are hashed with this key, whether or not events have ids.
    if (settings.data().hashKey().secret()) {
      values.put("input.id-key", text(named(settings.data().hashKey())));
    }
    model(settings.model(), values);
    if (!settings.model().schema().ids().isEmpty()) {
      embeddings(settings.model(), values);
    }
    return new SettingsIdentity(values);
  }

  private static void input(ApplicationSettings.Input input, Map<String, JsonNode> values) {
    SampleSchema schema = input.schema();
    // Only the first of several topics is included; the job's state shows whether another topic was
    // left out. The topics that match a pattern can change.
    if (input.topicPattern() == null) {
      values.put(TOPIC, text(input.topic()));
    }
    values.put("input.format", text(Section.name(input.format())));
    if (input.format() == ApplicationSettings.Format.CSV) {
      values.put("input.delimiter", text(input.text().delimiter()));
      values.put(COLUMNS, names(schema.columns()));
    }
    written(input.text(), values);
    ArrayNode features = JSON.createArrayNode();
    List<String> plain = new ArrayList<>();
    for (SampleSchema.DenseFeature feature : schema.dense()) {
      SampleSchema.Reading reading = feature.reading();
      boolean usual = reading.equals(SampleSchema.Reading.PLAIN);
      if (feature.width() == 1 && feature.scale() == 1 && usual) {
        plain.add(feature.name());
      } else {
        features.addAll(names(plain));
        plain.clear();
        ObjectNode entry = features.addObject();
        entry.put("name", feature.name());
        entry.put("width", feature.width());
        entry.put("scale", ShortestText.of(feature.scale()));
        if (!usual) {
          reading(reading, entry);
        }
      }
    }
    values.put(FEATURES, features.addAll(names(plain)));
    ArrayNode categorical = JSON.createArrayNode();
    for (SampleSchema.CategoricalFeature feature : schema.categorical()) {
      categorical.addObject().put("name", feature.name()).put("buckets", feature.buckets());
    }
    values.put(CATEGORICAL, categorical);
    values.put("input.label", text(schema.label().name()));
    values.put(TASK, text(Section.name(schema.label().task())));
    values.put(CLASSES, names(schema.label().classes()));
    SampleSchema.Weight weight = schema.weight();
    if (weight != null) {
      values.put("input.weight", text(weight.name()));
    }
    String id = schema.id();
    if (id != null) {
      values.put("input.id", text(id));
    }
    SampleSchema.History history = schema.history();
    if (history != null) {
      String key = history.key();
      values.put("history.key", text(key == null ? "" : key));
      values.put("history.labels", number(history.labels()));
      values.put("history.changes", JsonNodeFactory.instance.booleanNode(history.changes()));
    }
  }

  /** Adds the settings of how texts are written that differ from the defaults. */
  private static void written(TextForm form, Map<String, JsonNode> values) {
    if (!form.encoding().equals(TextForm.PLAIN.encoding())) {
      values.put("input.encoding", text(form.encoding()));
    }
    if (!form.notation().equals(NumberNotation.PLAIN)) {
      values.put("input.decimal", text(form.notation().decimal()));
      values.put("input.thousands", text(form.notation().thousands()));
    }
  }

  private static void reading(SampleSchema.Reading reading, ObjectNode entry) {
    entry.put("missing", Section.name(reading.missing()));
    entry.put("missing-indicator", reading.indicator());
    entry.set("missing-values", names(reading.missingValues()));
    entry.set("time", names(reading.time().stream().map(Section::name).toList()));
  }

  /**
   * Returns a name for a secret key that does not reveal the key, because the identity is in every
   * manifest.
   */
  public static String named(HashKey key) {
    byte[] secret = key.text().getBytes(StandardCharsets.US_ASCII);
    return "sha256:" + sha256(secret).substring(0, KEY_DIGITS);
  }

  private static void model(ModelSpec model, Map<String, JsonNode> values) {
    values.put("model.standardize", JsonNodeFactory.instance.booleanNode(model.standardize()));
    values.put("training.updater", text(Section.name(model.fit().updater())));
    loss(model.loss(), values);
    if (model.network() instanceof ModelSpec.Network.Mlp mlp) {
      values.put("model.type", text("mlp"));
      values.put("model.hidden", numbers(mlp.hidden()));
      if (mlp.members() > 1) {
        values.put("model.members", number(mlp.members()));
      }
    } else if (model.network() instanceof ModelSpec.Network.Cnn cnn) {
      values.put("model.type", text("cnn"));
      values.put(
          "model.image",
          JSON.createObjectNode()
              .put("height", cnn.height())
              .put("width", cnn.width())
              .put("channels", cnn.channels()));
      values.put("model.filters", numbers(cnn.filters()));
      values.put("model.dense", number(cnn.dense()));
    } else if (model.network() instanceof ModelSpec.Network.Dlrm dlrm) {
      values.put("model.type", text("dlrm"));
      values.put("model.bottom", numbers(dlrm.bottom()));
      values.put("model.top", numbers(dlrm.top()));
    } else if (model.network() instanceof ModelSpec.Network.WideAndDeep wide) {
      values.put("model.type", text("wide-and-deep"));
      values.put("model.hidden", numbers(wide.hidden()));
    } else if (model.network() instanceof ModelSpec.Network.Dl4jJson json) {
      values.put("model.type", text("dl4j-json"));
      values.put("model.file", digested(json.json().getBytes(StandardCharsets.UTF_8)));
      // The network's file contains its updater.
      values.remove("training.updater");
    } else if (model.network() instanceof ModelSpec.Network.SameDiffGraph graph) {
      values.put("model.type", text("samediff"));
      values.put("model.file", digested(graph.graph()));
      values.put("model.features", text(graph.features()));
      values.put("model.output", text(graph.output()));
    }
  }

  /** Adds the loss of targets, if it is not the default. */
  private static void loss(TargetLoss loss, Map<String, JsonNode> values) {
    if (loss.kind() != TargetLoss.Kind.SQUARED) {
      values.put("training.loss", text(Section.name(loss.kind())));
    }
    if (loss.kind() == TargetLoss.Kind.QUANTILE) {
      values.put("training.quantile", text(ShortestText.of(loss.parameter())));
    } else if (loss.kind() == TargetLoss.Kind.HUBER) {
      values.put("training.huber-delta", text(ShortestText.of(loss.parameter())));
    }
  }

  private static void embeddings(ModelSpec model, Map<String, JsonNode> values) {
    List<SampleSchema.IdFeature> features = model.schema().ids();
    ModelSpec.Embeddings embeddings = model.embeddings();
    ArrayNode ids = JSON.createArrayNode();
    ArrayNode pooling = JSON.createArrayNode();
    List<List<String>> users = new ArrayList<>();
    embeddings.tables().forEach(table -> users.add(new ArrayList<>()));
    for (int i = 0; i < features.size(); i++) {
      SampleSchema.IdFeature feature = features.get(i);
      ModelSpec.Use use = embeddings.uses().get(i);
      ids.addObject().put("name", feature.name()).put("at-most", feature.mostIds());
      users.get(use.table()).add(feature.name());
      // For one vector, sum and mean are equal.
      if (feature.mostIds() > 1) {
        pooling.addObject().put("name", feature.name()).put("by", Section.name(use.pooling()));
      }
    }
    ArrayNode tables = JSON.createArrayNode();
    for (int i = 0; i < users.size(); i++) {
      ModelSpec.Table table = embeddings.tables().get(i);
      ObjectNode entry = tables.addObject();
      entry.put("name", table.name()).put("dim", table.dim());
      RowIndex index = model.rowIndex(i);
      if (index.fixed()) {
        entry.put("rows", index.rows()).put("index", Section.name(index.kind()));
      }
      if (index.key().secret()) {
        entry.put("id-key", named(index.key()));
      }
      entry.set("features", names(users.get(i)));
    }
    values.put(IDS, ids);
    values.put(TABLES, tables);
    if (!pooling.isEmpty()) {
      values.put(POOLING, pooling);
    }
    values.put(ROW_UPDATER, text(Section.name(embeddings.fit().updater())));
  }

  /**
   * Returns the names in order; a run such as f1, f2, f3 is replaced by its ends, because there can
   * be 100,000 names.
   */
  private static ArrayNode names(List<String> names) {
    ArrayNode all = JSON.createArrayNode();
    for (int i = 0; i < names.size(); ) {
      int end = runEnd(names, i);
      if (end - i >= SHORTEST_RUN) {
        all.addObject().put("from", names.get(i)).put("to", names.get(end - 1));
        i = end;
      } else {
        all.add(names.get(i));
        i++;
      }
    }
    return all;
  }

  /** Returns the index after the last name of a run that counts up by one, such as f1, f2, f3. */
  private static int runEnd(List<String> names, int from) {
    Matcher first = NUMBERED.matcher(names.get(from));
    int end = from + 1;
    if (first.matches()) {
      int number = Integer.parseInt(first.group(2));
      while (end < names.size()
          && names.get(end).equals(first.group(1) + (number + (end - from)))) {
        end++;
      }
    }
    return end;
  }

  private static JsonNode text(String value) {
    return JsonNodeFactory.instance.textNode(value);
  }

  private static JsonNode number(int value) {
    return JsonNodeFactory.instance.numberNode(value);
  }

  private static ArrayNode numbers(List<Integer> values) {
    ArrayNode all = JSON.createArrayNode();
    values.forEach(all::add);
    return all;
  }

  private static JsonNode digested(byte[] content) {
    return text("sha256:" + sha256(content));
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static ObjectMapper mapper() {
    ObjectMapper mapper = new ObjectMapper();
    mapper
        .getFactory()
        .setStreamReadConstraints(
            StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build());
    return mapper;
  }

  /** Returns the identity as canonical JSON: equal identities give equal texts. */
  public String json() {
    ObjectNode root = JSON.createObjectNode();
    root.put("formatVersion", FORMAT_VERSION);
    ObjectNode settings = root.putObject("settings");
    values.forEach(settings::set);
    return root.toString();
  }

  /** Returns the SHA-256 of {@link #json()} in lower-case hexadecimal. */
  public String digest() {
    return sha256(json().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Parses an identity that {@link #json()} has written.
   *
   * @throws IllegalArgumentException if it is not an identity, or has another format
   */
  public static SettingsIdentity parse(String json) {
    JsonNode root;
    try {
      root = JSON.readTree(json);
    } catch (JsonProcessingException broken) {
      throw new IllegalArgumentException("the settings' identity is damaged", broken);
    }
    if (root.path("formatVersion").asInt() != FORMAT_VERSION || !root.path("settings").isObject()) {
      throw new IllegalArgumentException(
          "the settings' identity is not in format %d: %s"
              .formatted(FORMAT_VERSION, abridged(root.toString())));
    }
    SortedMap<String, JsonNode> values = new TreeMap<>();
    for (Map.Entry<String, JsonNode> field : root.path("settings").properties()) {
      values.put(field.getKey(), field.getValue());
    }
    return new SettingsIdentity(values);
  }

  /**
   * Returns the differences from another identity, one line for each key, such as {@code
   * input.classes: [a, b] before, [b, a] now}; empty if they are equal.
   */
  public List<String> differences(SettingsIdentity now) {
    return differences(now, key -> true);
  }

  /** Returns the differences of some keys from another identity, one line for each key. */
  public List<String> differences(SettingsIdentity now, Predicate<String> keys) {
    SortedSet<String> all = new TreeSet<>(values.keySet());
    all.addAll(now.values.keySet());
    List<String> differences = new ArrayList<>();
    for (String key : all) {
      JsonNode before = values.get(key);
      JsonNode after = now.values.get(key);
      boolean byPattern = key.equals(TOPIC) && (before == null || after == null);
      if (keys.test(key) && !byPattern && (before == null || !before.equals(after))) {
        differences.add(difference(key, before, after));
      }
    }
    return differences;
  }

  /** Returns the value of a key; null if it is not part of this identity. */
  public @Nullable JsonNode value(String key) {
    return values.get(key);
  }

  /**
   * Returns the schema of this identity: a given schema with the columns, the features and the
   * classes of this identity. Id features come from the given schema.
   *
   * @throws IllegalArgumentException if this identity does not name features
   */
  public SampleSchema schemaLike(SampleSchema other) {
    List<SampleSchema.DenseFeature> dense = new ArrayList<>();
    for (JsonNode each : values.getOrDefault(FEATURES, JSON.createArrayNode())) {
      if (each.has("width")) {
        dense.add(
            new SampleSchema.DenseFeature(
                each.path("name").asText(),
                each.path("width").asInt(),
                Double.parseDouble(each.path("scale").asText()),
                each.has("missing") ? readingOf(each) : SampleSchema.Reading.PLAIN));
      } else {
        namesOf(each).forEach(name -> dense.add(SampleSchema.DenseFeature.of(name)));
      }
    }
    List<SampleSchema.CategoricalFeature> categorical = new ArrayList<>();
    for (JsonNode each : values.getOrDefault(CATEGORICAL, JSON.createArrayNode())) {
      categorical.add(
          new SampleSchema.CategoricalFeature(
              each.path("name").asText(), each.path("buckets").asInt()));
    }
    List<String> columns = new ArrayList<>();
    values.getOrDefault(COLUMNS, JSON.createArrayNode()).forEach(it -> columns.addAll(namesOf(it)));
    return new SampleSchema(
        columns,
        dense,
        categorical,
        other.ids(),
        labelLike(other.label()),
        other.id(),
        other.weight(),
        other.history());
  }

  /** Returns a label with the classes of this identity, if it has the task of that label. */
  private SampleSchema.Label labelLike(SampleSchema.Label other) {
    JsonNode task = values.get(TASK);
    if (task == null || !task.asText().equals(Section.name(other.task()))) {
      return other;
    }
    List<String> classes = new ArrayList<>();
    values.getOrDefault(CLASSES, JSON.createArrayNode()).forEach(it -> classes.addAll(namesOf(it)));
    return new SampleSchema.Label(other.name(), other.task(), classes, other.targets());
  }

  private static SampleSchema.Reading readingOf(JsonNode entry) {
    List<String> missingValues = new ArrayList<>();
    entry.path("missing-values").forEach(it -> missingValues.addAll(namesOf(it)));
    List<TimePart> time = new ArrayList<>();
    for (JsonNode run : entry.path("time")) {
      namesOf(run).forEach(part -> time.add(TimePart.valueOf(constant(part))));
    }
    return new SampleSchema.Reading(
        SampleSchema.Missing.valueOf(constant(entry.path("missing").asText())),
        entry.path("missing-indicator").asBoolean(),
        missingValues,
        time);
  }

  private static String constant(String name) {
    return name.replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /**
   * Returns the names for which an element of a list stands: the element itself, or the names of a
   * run.
   *
   * @throws IllegalArgumentException if it is a damaged run
   */
  public static List<String> namesOf(JsonNode element) {
    if (!element.isObject()) {
      return List.of(element.asText());
    }
    Matcher first = NUMBERED.matcher(element.path("from").asText());
    Matcher last = NUMBERED.matcher(element.path("to").asText());
    if (!first.matches() || !last.matches()) {
      throw new IllegalArgumentException(
          "the stored settings have a damaged range of names: " + element);
    }
    int from = Integer.parseInt(first.group(2));
    int to = Integer.parseInt(last.group(2));
    if (to - from > LONGEST_RUN) {
      throw new IllegalArgumentException(
          "the stored settings have too long a range of names: " + element);
    }
    return IntStream.rangeClosed(from, to).mapToObj(i -> first.group(1) + i).toList();
  }

  private static String difference(
      String key, @Nullable JsonNode before, @Nullable JsonNode after) {
    int from = 0;
    if (before instanceof ArrayNode first && after instanceof ArrayNode second) {
      while (from < Math.min(first.size(), second.size())
          && first.get(from).equals(second.get(from))) {
        from++;
      }
    }
    return "%s: %s before, %s now".formatted(key, shown(before, from), shown(after, from));
  }

  /** Returns a value as YAML; a long list begins at its first difference. */
  private static String shown(@Nullable JsonNode value, int firstDifference) {
    if (value == null) {
      return "none";
    }
    String whole = yaml(value, 0);
    if (whole.length() <= SHOWN_CHARACTERS) {
      return whole;
    }
    return abridged(value.isArray() ? yaml(value, firstDifference) : whole);
  }

  private static String abridged(String text) {
    return text.length() <= SHOWN_CHARACTERS
        ? text
        : text.substring(0, SHOWN_CHARACTERS) + "... (" + text.length() + " characters)";
  }

  private static String yaml(JsonNode value, int from) {
    if (value.isArray()) {
      List<String> elements = new ArrayList<>();
      if (from > 0) {
        elements.add("... " + from + " more");
      }
      for (int i = from; i < value.size(); i++) {
        elements.add(yaml(value.get(i), 0));
      }
      return "[" + String.join(", ", elements) + "]";
    }
    if (value.isObject() && value.has("from")) {
      return value.get("from").asText() + ".." + value.get("to").asText();
    }
    if (value.isObject()) {
      List<String> fields = new ArrayList<>();
      value.properties().forEach(it -> fields.add(it.getKey() + ": " + yaml(it.getValue(), 0)));
      return "{" + String.join(", ", fields) + "}";
    }
    String text = value.asText();
    boolean mark = text.length() == 1 && !Character.isLetterOrDigit(text.charAt(0));
    return text.isBlank() || mark ? value.toString() : text;
  }

  /**
   * Returns the message that refuses a start: all differences, which settings can change, and how
   * to start over.
   */
  public static String refusal(String application, String basis, List<String> differences) {
    return application
        + ": the application file differs from "
        + basis
        + " in settings that the learned state depends on:\n  "
        + String.join("\n  ", differences)
        + "\n"
        + ADVICE;
  }

  @Override
  public String toString() {
    return json();
  }
}
