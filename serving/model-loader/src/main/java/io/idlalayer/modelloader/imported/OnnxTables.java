package io.idlalayer.modelloader.imported;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.onnx.file.OnnxFile;
import io.idlalayer.modelloader.onnx.file.OnnxTensor;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the part of a graph that looks up rows of tables by ids. These rows become the rows of the
 * application's tables. The looked-up vectors stand for the columns of the network's input into
 * which the application writes its own vectors.
 */
final class OnnxTables {
  /** Most ids of one event that an input can have. */
  private static final long MOST_IDS = 1 << 16;

  private final ModelSpec spec;
  private final boolean own;
  private final Map<String, Ids> values = new HashMap<>();

  /** The vectors of several ids of a feature, which are not pooled yet. */
  private final Map<String, Lookup> lookups = new HashMap<>();

  /** The rows of each table of the application that was looked up, by the table's number. */
  private final Map<Integer, ImportedTable> tables = new TreeMap<>();

  /** The name of the array in which each table was looked up. */
  private final Map<Integer, String> arrays = new HashMap<>();

  /** How ids are written; some programs count negative ids from the last row. */
  private enum Form {
    IDS,
    NEGATIVE,
    COUNTED_FROM_LAST
  }

  /**
   * A value of ids.
   *
   * @param rows for each id of an event the number of its feature, as an element
   */
  private record Ids(Rows rows, Form form) {}

  private record Lookup(int feature, int count) {}

  /** Returns the arrays of a file by their names; null for a value that is not an array. */
  @FunctionalInterface
  interface Constants {
    @Nullable Constant of(String name) throws IOException;
  }

  /**
   * @param own whether iDlaLayer wrote the file
   */
  OnnxTables(ModelSpec spec, boolean own) {
    this.spec = spec;
    this.own = own;
  }

  /**
   * Registers an input of a file if it holds ids.
   *
   * @param features names of the features of an input with a column per feature; empty if each
   *     feature has an input of its own
   * @throws UnimportableException if the application has no such ids
   */
  boolean input(OnnxFile.Value input, List<String> features) throws UnimportableException {
    if (!features.isEmpty()) {
      int[] each = new int[features.size()];
      for (int i = 0; i < each.length; i++) {
        each[i] = feature(features.get(i));
      }
      put(input.name(), each, each.length);
      return true;
    } else if (own || OnnxTensor.holdsDecimals(input.type())) {
      return false;
    }
    int count = count(input);
    int[] each = new int[count];
    Arrays.fill(each, feature(input.name()));
    boolean single = input.shape() != null && input.shape().length == 1;
    put(input.name(), each, single ? new long[0] : new long[] {count});
    return true;
  }

  private void put(String name, int[] features, long... shape) {
    Rows rows = Rows.input(features, new double[features.length], shape);
    values.put(name, new Ids(rows, Form.IDS));
  }

  private int feature(String name) throws UnimportableException {
    List<SampleSchema.IdFeature> ids = spec.schema().ids();
    for (int i = 0; i < ids.size(); i++) {
      if (name.equals(ids.get(i).name()) || (own && name.equals(OnnxModel.idLine(ids.get(i))))) {
        return i;
      }
    }
    throw new UnimportableException(
        "its input '%s' is of whole numbers, which are ids, and the application has no such feature ('input.ids'); it has %s"
            .formatted(
                name,
                ids.isEmpty()
                    ? "none; numbers need an input of type float"
                    : String.join(
                        ", ",
                        ids.stream()
                            .map(each -> own ? OnnxModel.idLine(each) : each.name())
                            .toList())));
  }

  /** Returns the number of ids of an event in an input. */
  private static int count(OnnxFile.Value input) throws UnimportableException {
    long[] shape = input.shape();
    if (shape != null && shape.length == 1) {
      return 1;
    } else if (shape == null || shape.length != 2 || shape[1] < 1 || shape[1] > MOST_IDS) {
      throw new UnimportableException(
          "its input '%s' of ids has the shape %s; known are [rows], and [rows, ids] with a number of ids"
              .formatted(input.name(), Arrays.toString(shape)));
    }
    return (int) shape[1];
  }

  /** Returns whether a node takes ids, or vectors that must be pooled. */
  boolean takes(OnnxFile.Node node) {
    return node.inputs().stream()
        .anyMatch(name -> values.containsKey(name) || lookups.containsKey(name));
  }

  /**
   * Reads a node that takes ids.
   *
   * @return the vectors that the node returns, as columns of the network's input; null if it
   *     returns none
   */
  @Nullable Rows read(OnnxFile.Node node, Constants constants) throws IOException {
    String output = node.outputs().get(0);
    Lookup lookup = lookups.get(node.input(0));
    if (lookup != null) {
      return pooled(node, lookup, constants);
    } else if (node.operator().equals("Gather") && values.containsKey(node.input(1))) {
      return lookedUp(node, constants.of(node.input(0)));
    } else if (node.operator().equals("Where")) {
      values.put(output, chosen(node));
      return null;
    }
    Ids ids = values.get(node.input(0));
    if (ids == null) {
      throw other(node);
    }
    Rows rows = ids.rows();
    switch (node.operator()) {
      case "Identity" -> values.put(output, ids);
      case "Cast" -> {
        // A narrower type would change ids.
        if (!OnnxTensor.holdsIds((int) node.integer("to", OnnxTensor.FLOAT))) {
          throw other(node);
        }
        values.put(output, ids);
      }
      case "Squeeze" ->
          values.put(output, of(node, ids, rows.squeezed(axes(node, constants), node.label())));
      case "Unsqueeze" ->
          values.put(output, of(node, ids, rows.unsqueezed(axes(node, constants), node.label())));
      case "Flatten" -> values.put(output, of(node, ids, rows.shaped(rows.size())));
      case "Less" -> {
        requireSingle(node, constants.of(node.input(1)), 0);
        values.put(output, new Ids(rows, Form.NEGATIVE));
      }
      case "Add" -> {
        requireSingle(node, constants.of(node.input(1)), Double.NaN);
        values.put(output, new Ids(rows, Form.COUNTED_FROM_LAST));
      }
      case "Gather" -> values.put(output, column(node, ids, constants.of(node.input(1))));
      default -> throw other(node);
    }
    return null;
  }

  private static UnimportableException other(OnnxFile.Node node) {
    return other(node, "takes ids; known is the lookup of their rows (Gather)");
  }

  private static UnimportableException other(OnnxFile.Node node, String what) {
    return new UnimportableException("%s %s".formatted(node.label(), what));
  }

  private static Ids of(OnnxFile.Node node, Ids before, Rows rows) throws UnimportableException {
    if (before.form() != Form.IDS || rows.place() != 0) {
      throw other(node);
    }
    return new Ids(rows, Form.IDS);
  }

  private static long @Nullable [] axes(OnnxFile.Node node, Constants constants)
      throws IOException {
    Constant given = node.input(1).isEmpty() ? null : constants.of(node.input(1));
    return given == null ? node.integers("axes") : given.whole();
  }

  /**
   * @param expected NaN for any number
   */
  private static void requireSingle(OnnxFile.Node node, @Nullable Constant given, double expected)
      throws UnimportableException {
    if (given == null
        || given.numbers().length != 1
        || !(Double.isNaN(expected) || given.numbers()[0] == expected)) {
      throw other(node);
    }
  }

  /**
   * Reads a node that counts negative ids from the last row, and returns its ids unchanged: the ids
   * of events are not negative.
   */
  private Ids chosen(OnnxFile.Node node) throws UnimportableException {
    Ids condition = values.get(node.input(0));
    Ids counted = values.get(node.input(1));
    Ids ids = values.get(node.input(2));
    if (condition == null
        || condition.form() != Form.NEGATIVE
        || counted == null
        || counted.form() != Form.COUNTED_FROM_LAST
        || ids == null
        || ids.form() != Form.IDS) {
      throw other(node);
    }
    return ids;
  }

  /** Returns one of several columns of ids. */
  private static Ids column(OnnxFile.Node node, Ids ids, @Nullable Constant index)
      throws UnimportableException {
    long axis = node.integer("axis", 0);
    if (index == null
        || index.numbers().length != 1
        || axis != 1
        || ids.rows().shape().length != 1
        || index.whole()[0] < 0
        || index.whole()[0] >= ids.rows().size()) {
      throw other(node);
    }
    int[] place = {(int) index.whole()[0]};
    boolean stays = index.shape().length > 0;
    return of(node, ids, ids.rows().picked(place, stays ? new long[] {1} : new long[0]));
  }

  private @Nullable Rows lookedUp(OnnxFile.Node node, @Nullable Constant array) throws IOException {
    Ids ids = values.get(node.input(1));
    if (array == null || ids == null || ids.form() != Form.IDS || node.integer("axis", 0) != 0) {
      throw other(node);
    }
    int[] features = ids.rows().element();
    if (Arrays.stream(features).anyMatch(each -> each != features[0])) {
      throw other(node, "looks up ids of several features; known are lookups of one");
    }
    SampleSchema.IdFeature feature = spec.schema().ids().get(features[0]);
    add(node, features[0], array);
    if (features.length > 1) {
      if (features.length > feature.mostIds()) {
        throw other(
            node,
            String.format(
                Locale.ROOT,
                "takes %d ids of '%s', and the application says 'at-most: %d'",
                features.length,
                feature.name(),
                feature.mostIds()));
      }
      lookups.put(node.outputs().get(0), new Lookup(features[0], features.length));
      return null;
    }
    return columns(features[0], ids.rows().shape().length == 0);
  }

  private Rows columns(int feature, boolean flat) {
    int from = spec.vectorColumns() + EmbeddingPlans.of(spec).features().get(feature).from();
    int dim = spec.embeddings().table(spec.embeddings().uses().get(feature)).dim();
    double[] scale = new double[dim];
    Arrays.fill(scale, 1);
    int[] columns = IntStream.range(from, from + dim).toArray();
    return Rows.input(columns, scale, flat ? new long[] {dim} : new long[] {1, dim});
  }

  private @Nullable Rows pooled(OnnxFile.Node node, Lookup lookup, Constants constants)
      throws IOException {
    if (node.operator().equals("Identity") || node.operator().equals("Cast")) {
      lookups.put(node.outputs().get(0), lookup);
      return null;
    }
    SampleSchema.IdFeature feature = spec.schema().ids().get(lookup.feature());
    IdPooling pooling = spec.embeddings().uses().get(lookup.feature()).pooling();
    String expected = pooling == IdPooling.SUM ? "ReduceSum" : "ReduceMean";
    long[] axes = axes(node, constants);
    if (!node.operator().equals(expected) || axes == null || axes.length != 1 || axes[0] != 1) {
      throw other(
          node,
          String.format(
              Locale.ROOT,
              "takes the vectors of %d ids of '%s', of which the application takes the %s (%s over dimension 1); 'pooling' says which",
              lookup.count(),
              feature.name(),
              pooling.name().toLowerCase(Locale.ROOT),
              expected));
    }
    return columns(lookup.feature(), node.integer("keepdims", 1) == 0);
  }

  // ---- tables ---------------------------------------------------------------------------------

  private void add(OnnxFile.Node node, int feature, Constant array) throws UnimportableException {
    int table = spec.embeddings().uses().get(feature).table();
    ModelSpec.Table of = spec.embeddings().tables().get(table);
    RowIndex index = spec.rowIndex(table);
    if (spec.rowWeights(of) != of.dim()) {
      throw other(node, "looks up vectors; rows of 'wide-and-deep' have a wide part, too");
    } else if (array.shape().length != 2) {
      throw other(node, "looks up an array of the shape " + Arrays.toString(array.shape()));
    }
    long rows = array.shape()[0] - (own ? OnnxModel.OTHER_ROWS : 0);
    boolean kind = index.kind() == RowIndex.Kind.NUMBER || (own && index.fixed());
    if (!kind || rows != index.rows() || array.shape()[1] != of.dim()) {
      throw other(
          node,
          String.format(
              Locale.ROOT,
              "has a table of %d rows of %d numbers, and table '%s' has %s of %d; say 'embeddings.tables: [{name: %s, dim: %d, rows: %d, index: number, features: [%s]}]'",
              rows,
              array.shape()[1],
              of.name(),
              index.fixed() ? index.rows() + " rows (" + index.kind() + ")" : "open rows",
              of.dim(),
              of.name(),
              array.shape()[1],
              rows,
              spec.schema().ids().get(feature).name()));
    }
    String before = arrays.putIfAbsent(table, node.input(0));
    if (before == null) {
      tables.put(table, table(node, table, array));
    } else if (!before.equals(node.input(0))) {
      throw other(
          node,
          "looks up another array than the node before it for the same table '%s'; give each feature a table"
              .formatted(of.name()));
    }
  }

  private ImportedTable table(OnnxFile.Node node, int table, Constant array)
      throws UnimportableException {
    ImportedSteps.finite(node.label(), array.numbers());
    int rows = (int) array.shape()[0];
    int ids = spec.rowIndex(table).rows();
    long[] keys = new long[rows];
    // The keys of rows come after the keys for unknown and for missing ids.
    Arrays.setAll(keys, i -> i < ids ? i + IdLists.UNKNOWN + 1 : IdLists.UNKNOWN - (i - ids));
    float[] weights = new float[array.numbers().length];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (float) array.numbers()[i];
    }
    return new ImportedTable(table, keys, weights);
  }

  /**
   * Returns the rows of all tables of the application.
   *
   * @throws UnimportableException if the file has no rows for one of them
   */
  List<ImportedTable> all() throws UnimportableException {
    for (int i = 0; i < spec.embeddings().tables().size(); i++) {
      if (!tables.containsKey(i)) {
        throw new UnimportableException(
            "it has no table for '%s' ('embeddings.tables'); it must look up the ids of its features"
                .formatted(spec.embeddings().tables().get(i).name()));
      }
    }
    return List.copyOf(tables.values());
  }
}
