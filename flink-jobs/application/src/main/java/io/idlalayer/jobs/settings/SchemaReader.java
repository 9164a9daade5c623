package io.idlalayer.jobs.settings;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.format.CriteoTsvSampleDecoder;
import io.idlalayer.middleware.sample.path.FieldPath;
import io.idlalayer.middleware.sample.text.LookAlikes;
import io.idlalayer.middleware.sample.text.NearWord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** Reads the keys of section {@code input} that define the meaning of an event's fields. */
final class SchemaReader {
  private static final int CRITEO_BUCKETS = 1000;
  private static final int BUCKETS_MAX = 1 << 24;
  private static final int CLASSES_MAX = 100_000;
  private static final int IDS_MAX = 100_000;
  private static final int KEYS = 10_000;
  private static final int KEYS_MAX = 10_000_000;
  private static final int CONTEXT_MAX = 4_096;
  private static final long HISTORY_BYTES_MAX = 256L << 20;

  /** Bytes that the history of a key takes in addition to its numbers. */
  private static final int KEY_BYTES = 160;

  private static final String NO_NAME = "an empty text is not the name of a field";

  private final Section root;
  private final Section input;
  private final ApplicationSettings.Format format;
  private final boolean hasTables;

  /**
   * @param root the whole file, which can have a section {@code history}
   * @param hasTables whether the model has tables, so that categories in format criteo-tsv are ids
   */
  SchemaReader(Section root, Section input, ApplicationSettings.Format format, boolean hasTables) {
    this.root = root;
    this.input = input;
    this.format = format;
    this.hasTables = hasTables;
  }

  SampleSchema read() {
    boolean criteo = format == ApplicationSettings.Format.CRITEO_TSV;
    List<String> columns = input.names("columns");
    List<DenseFeature> dense = criteo ? criteoDense() : dense();
    List<CategoricalFeature> categorical = criteo ? criteoCategorical() : categorical();
    List<IdFeature> ids = criteo ? criteoIds() : ids();
    SampleSchema.Label label = label(criteo);
    String id = input.text("id");
    if (id != null && id.isEmpty()) {
      input.problem("id", NO_NAME);
    }
    SampleSchema schema = new SampleSchema(columns, dense, categorical, ids, label, id, weight());
    if (format == ApplicationSettings.Format.CSV) {
      checkColumns(schema);
    } else if (!columns.isEmpty()) {
      input.problem("columns", "only events in format csv have columns");
    }
    if (dense.isEmpty() && categorical.isEmpty() && ids.isEmpty()) {
      input.problem("features", "name at least one feature");
    }
    if (!criteo) {
      checkRoles(schema);
    }
    return root.has("history") ? schema.with(history(schema)) : schema;
  }

  /**
   * Reads which history of each key's events is kept, and checks that the context is not too wide.
   */
  private SampleSchema.History history(SampleSchema schema) {
    Section section = root.section("history");
    String key = section.text("key");
    int labels = section.integer("labels", 1, 0, SampleSchema.History.MOST_LABELS);
    boolean changes = section.flag("changes", true);
    int keys = section.integer("keys", KEYS, 1, KEYS_MAX);
    if (key == null) {
      section.idle("keys", keys, KEYS, "'history.key'");
    } else {
      checkKey(section, key, schema);
    }
    SampleSchema.History history = new SampleSchema.History(key, labels, changes, keys);
    int width = schema.with(history).contextWidth();
    if (width == 0) {
      section.problem(
          "labels", "the history would be empty: say labels above 0, or changes of numbers");
    } else if (width > CONTEXT_MAX) {
      section.problem(
          "labels",
          "%d labels of %d values each and the changes are %d values together; at most %d are possible"
              .formatted(labels, schema.labelWidth(), width, CONTEXT_MAX));
    }
    long numbers = 2L * labels + (changes ? schema.denseWidth() : 0);
    long most = HISTORY_BYTES_MAX / (KEY_BYTES + Double.BYTES * numbers);
    if (keys > most) {
      section.problem(
          "keys",
          "%d histories would take more than 256 MiB; at most %d are possible"
              .formatted(keys, most));
    }
    section.finish();
    return history;
  }

  private void checkKey(Section section, String key, SampleSchema schema) {
    if (key.isEmpty()) {
      section.problem("key", NO_NAME);
      return;
    }
    switch (format) {
      case CSV -> {
        if (!schema.columns().isEmpty() && !schema.columns().contains(key)) {
          section.problem("key", noColumn(section, key, Set.copyOf(schema.columns())));
        }
      }
      case JSON, AVRO, PROTOBUF -> {}
      case CRITEO_TSV, BINARY ->
          section.problem(
              "key",
              "only events in format csv, json, avro or protobuf have a key; without one, all events are of one"
                  + " key");
    }
    if (isField(key, schema.label().name())) {
      section.problem("key", section.shown(key) + " is the label: it is not known in time");
    } else if (isField(key, schema.id())) {
      section.problem("key", section.shown(key) + " is the id: no two events have the same");
    }
  }

  private List<DenseFeature> criteoDense() {
    for (String key : List.of("features", "categorical", "ids")) {
      if (!input.elements(key).isEmpty()) {
        input.problem(key, "format criteo-tsv has features of its own");
      }
    }
    return IntStream.rangeClosed(1, CriteoTsvSampleDecoder.INTEGERS)
        .mapToObj(i -> DenseFeature.of("i" + i))
        .toList();
  }

  private List<CategoricalFeature> criteoCategorical() {
    int buckets = input.integer("categorical-buckets", CRITEO_BUCKETS, 2, BUCKETS_MAX);
    if (hasTables) {
      input.idle("categorical-buckets", buckets, CRITEO_BUCKETS, "a model without tables");
      return List.of();
    }
    return IntStream.rangeClosed(1, CriteoTsvSampleDecoder.CATEGORIES)
        .mapToObj(i -> new CategoricalFeature("c" + i, buckets))
        .toList();
  }

  private List<IdFeature> criteoIds() {
    int features = hasTables ? CriteoTsvSampleDecoder.CATEGORIES : 0;
    return IntStream.rangeClosed(1, features).mapToObj(i -> new IdFeature("c" + i, 1)).toList();
  }

  private List<DenseFeature> dense() {
    ReadingReader readings = new ReadingReader(input);
    List<DenseFeature> features = new ArrayList<>();
    for (Node node : input.elements("features")) {
      if (node instanceof MappingNode) {
        Section section = input.element("features", node);
        String name = section.required("name");
        int width = section.integer("width", 1, 1, 1 << 24);
        double scale = section.number("scale", 1, -1e30, true, 1e30);
        features.add(new DenseFeature(name, width, scale, readings.of(section)));
        section.finish();
      } else if (node instanceof ScalarNode) {
        for (String name : named("features", node)) {
          features.add(new DenseFeature(name, 1, 1, readings.usual()));
        }
      } else {
        input.problem("features", "each entry is a name or {name: ..., width: ..., scale: ...}");
      }
    }
    return features;
  }

  private List<CategoricalFeature> categorical() {
    List<CategoricalFeature> features = new ArrayList<>();
    for (Node node : input.elements("categorical")) {
      Section section = input.element("categorical", node);
      features.add(
          new CategoricalFeature(
              section.required("name"), section.integer("buckets", 2, 2, BUCKETS_MAX)));
      if (!section.has("buckets")) {
        section.problem("buckets", "is missing: the largest number of different values, plus one");
      }
      section.finish();
    }
    return features;
  }

  /** Returns the names that an element of a list stands for, and reports one that is empty. */
  private List<String> named(String key, Node node) {
    List<String> names = input.names(key, node);
    if (names.contains("")) {
      input.problem(key, NO_NAME);
    }
    return names;
  }

  private List<IdFeature> ids() {
    List<IdFeature> features = new ArrayList<>();
    for (Node node : input.elements("ids")) {
      if (node instanceof MappingNode) {
        Section section = input.element("ids", node);
        features.add(
            new IdFeature(section.required("name"), section.integer("at-most", 1, 1, IDS_MAX)));
        section.finish();
      } else if (node instanceof ScalarNode) {
        named("ids", node).forEach(name -> features.add(new IdFeature(name, 1)));
      } else {
        input.problem("ids", "each entry is a name or {name: ..., at-most: ...}");
      }
    }
    return features;
  }

  private SampleSchema.Label label(boolean criteo) {
    String name = criteo ? input.text("label", "label") : input.required("label");
    Task task = input.choice("task", Task.CLASSIFICATION, Task.values());
    List<String> classes = classes();
    if (criteo && classes.isEmpty()) {
      classes = List.of("0", "1");
    }
    if (task == Task.CLASSIFICATION && classes.size() < 2) {
      input.problem(
          "classes", "classification needs at least two classes: list them, or give their number");
      classes = List.of("0", "1");
    } else if (task == Task.REGRESSION && !classes.isEmpty()) {
      input.problem("classes", "regression has none");
      classes = List.of();
    }
    Set<String> once = new HashSet<>();
    for (String each : classes) {
      if (!once.add(each)) {
        input.problem("classes", "names a class twice: " + input.shown(each));
      }
      if (each.isBlank()) {
        input.problem("classes", "an empty text is not a class: it stands for a missing label");
      }
    }
    return new SampleSchema.Label(name, task, classes);
  }

  /**
   * Returns the field of the weight, with the weight of events that lack this field; null if there
   * is no such field.
   */
  private SampleSchema.@Nullable Weight weight() {
    if (!input.has("weight")) {
      return null;
    }
    SampleSchema.Weight weight;
    if (input.isMapping("weight")) {
      Section section = input.section("weight");
      weight =
          new SampleSchema.Weight(
              section.required("name"),
              section.number("default", Double.NaN, 0, true, Float.MAX_VALUE));
      section.finish();
    } else {
      weight = new SampleSchema.Weight(input.required("weight"), Double.NaN);
    }
    switch (format) {
      case CSV, JSON, AVRO, PROTOBUF -> {}
      case CRITEO_TSV, BINARY ->
          input.problem(
              "weight", "only events in format csv, json, avro or protobuf have a weight");
    }
    return weight;
  }

  private List<String> classes() {
    if (input.isList("classes")) {
      return input.texts("classes");
    }
    int count = input.integer("classes", 0, 2, CLASSES_MAX);
    return IntStream.range(0, count).mapToObj(Integer::toString).toList();
  }

  private void checkColumns(SampleSchema schema) {
    List<String> columns = schema.columns();
    if (columns.isEmpty()) {
      input.problem("columns", "format csv needs the names of its columns in order");
      return;
    }
    Set<String> known = new HashSet<>();
    for (String column : columns) {
      if (!column.isEmpty() && !known.add(column)) {
        input.problem("columns", "names a column twice: " + input.shown(column));
      }
    }
    for (DenseFeature feature : schema.dense()) {
      if (feature.width() != 1) {
        input.problem(
            "features", input.shown(feature.name()) + ": in csv every feature is one column");
      }
      check("features", feature.name(), known);
    }
    schema.categorical().forEach(feature -> check("categorical", feature.name(), known));
    schema.ids().forEach(feature -> check("ids", feature.name(), known));
    if (!input.has("labels")) {
      check("label", schema.label().name(), known);
    }
    check("id", schema.id(), known);
    SampleSchema.Weight weight = schema.weight();
    check("weight", weight == null ? null : weight.name(), known);
  }

  /** Reports each field that has two roles, and each feature that is named twice. */
  private void checkRoles(SampleSchema schema) {
    Map<String, String> roles = new HashMap<>();
    schema.dense().forEach(feature -> role("features", feature.name(), roles));
    schema.categorical().forEach(feature -> role("categorical", feature.name(), roles));
    schema.ids().forEach(feature -> role("ids", feature.name(), roles));
    String label = schema.label().name();
    String other = label.isEmpty() ? null : roles.get(field(label));
    if (other != null) {
      input.problem(
          other,
          "%s is the label too: a model would be trained on the answer, and lack it when it serves"
              .formatted(input.shown(label)));
    }
    if (isField(label, schema.id())) {
      input.problem(
          "id", input.shown(label) + " is the label too; each event needs an id of its own");
    }
    checkWeight(schema, roles);
  }

  private void checkWeight(SampleSchema schema, Map<String, String> roles) {
    SampleSchema.Weight weight = schema.weight();
    if (weight == null || weight.name().isEmpty()) {
      return;
    }
    String feature = roles.get(field(weight.name()));
    String other =
        feature != null
            ? "in " + feature
            : isField(weight.name(), schema.label().name())
                ? "the label"
                : isField(weight.name(), schema.id()) ? "the id" : "";
    if (!other.isEmpty()) {
      input.problem("weight", "%s is %s too".formatted(input.shown(weight.name()), other));
    }
  }

  private void role(String key, String name, Map<String, String> roles) {
    String before = name.isEmpty() ? null : roles.put(field(name), key);
    if (before != null && before.equals(key)) {
      input.problem(key, "names a feature twice: " + input.shown(name));
    } else if (before != null) {
      input.problem(key, "%s is in %s too".formatted(input.shown(name), before));
    }
  }

  /** Returns a name in its standard form, because a path can be written in several forms. */
  private String field(String name) {
    FieldPath path = format.namesFields() ? FieldPath.of(name) : null;
    return path == null ? name : path.toString();
  }

  private boolean isField(String name, @Nullable String other) {
    return other != null && !name.isEmpty() && field(name).equals(field(other));
  }

  private void check(String key, @Nullable String column, Set<String> known) {
    if (column != null && !column.isEmpty() && !known.contains(column)) {
      input.problem(key, noColumn(input, column, known));
    }
  }

  private static String noColumn(Section section, String column, Set<String> known) {
    String near = NearWord.of(column, known);
    return "%s is none of the columns%s"
        .formatted(
            section.shown(column),
            near.isEmpty()
                ? ""
                : "; did you mean " + section.shown(near) + LookAlikes.note(near, column) + "?");
  }
}
