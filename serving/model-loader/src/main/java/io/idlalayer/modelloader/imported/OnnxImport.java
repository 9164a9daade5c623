package io.idlalayer.modelloader.imported;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.onnx.file.OnnxDataFiles;
import io.idlalayer.modelloader.onnx.file.OnnxFile;
import io.idlalayer.modelloader.onnx.file.OnnxFileReader;
import io.idlalayer.modelloader.onnx.file.OnnxTensor;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the network in an ONNX file, as PyTorch, Keras, scikit-learn (skl2onnx) and iDlaLayer write
 * it. Unknown operators are refused by name, all in one message. A known operator that is used in
 * an unknown way is refused too.
 */
public final class OnnxImport {
  static final String LEARNING = "ai.onnx.ml";
  private static final double UNBOUNDED = 3e38;

  private final OnnxFile file;
  private final OnnxInputs inputs;
  private final boolean own;
  private final OnnxTables tables;
  private final Map<String, Constant> constants = new HashMap<>();
  private final Map<String, Rows> values = new HashMap<>();

  /** Places of the categorical features that a value holds; for files that iDlaLayer wrote. */
  private final Map<String, Integer> categories = new HashMap<>();

  /** Images with zeros around them, which only a convolution can use. */
  private final Map<String, Padded> padding = new HashMap<>();

  private final ImportedSteps steps = new ImportedSteps();
  private final OnnxSeries series = new OnnxSeries(steps);
  private final OnnxActivations activations = new OnnxActivations(steps);
  private final OnnxLearning learning = new OnnxLearning(steps);

  /**
   * Images with zeros around them.
   *
   * @param pads lines and columns above, at the left, below and at the right
   */
  private record Padded(Rows rows, long[] pads) {}

  private OnnxImport(OnnxFile file, ModelSpec spec) {
    this.file = file;
    own = OnnxInputs.own(file);
    tables = new OnnxTables(spec, own);
    inputs = new OnnxInputs(spec, file, tables);
  }

  /**
   * Reads a file.
   *
   * @param dataFiles files beside the ONNX file that can hold its arrays
   * @throws MalformedModelException if the file is damaged
   * @throws UnimportableException if the file has an unknown part, or other inputs or classes than
   *     the application
   */
  public static ImportedNetwork read(byte[] bytes, OnnxDataFiles dataFiles, ModelSpec spec)
      throws IOException {
    OnnxFile file = OnnxFileReader.read(bytes, dataFiles);
    try {
      return new OnnxImport(file, spec).network(spec);
    } catch (IndexOutOfBoundsException | ArithmeticException | NegativeArraySizeException broken) {
      throw new MalformedModelException("its sizes contradict each other: " + broken, broken);
    }
  }

  private ImportedNetwork network(ModelSpec spec) throws IOException {
    OnnxOutput output = new OnnxOutput(file);
    String predictions = output.predictions();
    Set<OnnxFile.Node> needed = output.needed(predictions);
    UnknownOperators.refuse(file.nodes().stream().filter(needed::contains).toList());
    values.putAll(inputs.read());
    for (OnnxFile.Node node : file.nodes()) {
      if (needed.contains(node)) {
        evaluate(node);
      }
    }
    Rows last = values.get(predictions);
    if (last == null || last.isInput()) {
      throw new UnimportableException(
          "its output '%s' does not come from a layer".formatted(predictions));
    } else if (last.place() != 0) {
      throw new UnimportableException(
          "the first dimension of its output '%s' is not the row".formatted(predictions));
    }
    SampleSchema.Label label = spec.schema().label();
    boolean classes = label.task() == SampleSchema.Task.CLASSIFICATION;
    int[] order = classes ? output.classes(label) : new int[] {0};
    return steps.network(last, "output '%s'".formatted(predictions), order, tables.all());
  }

  // ---- values ---------------------------------------------------------------------------------

  /** Returns a value whose first dimension is the row. */
  private Rows rows(OnnxFile.Node node, int input) throws IOException {
    Rows found = value(node, input);
    if (found.place() != 0) {
      throw other(
          node,
          "takes '%s', whose first dimension is not the row; of recurrent layers the operator LSTM is known"
              .formatted(node.input(input)));
    }
    return found;
  }

  private Rows value(OnnxFile.Node node, int input) throws IOException {
    Rows found = values.get(node.input(input));
    if (padding.containsKey(node.input(input))) {
      throw other(node, "takes images with zeros around them; only a convolution can");
    } else if (found == null) {
      throw new UnimportableException(
          "%s takes '%s', which is no value of rows".formatted(node.label(), node.input(input)));
    }
    return found;
  }

  private @Nullable Constant constantOrNull(String name) throws MalformedModelException {
    Constant known = constants.get(name);
    OnnxTensor stored = file.constants().get(name);
    if (known == null && stored != null && stored.type() != OnnxTensor.STRING) {
      known = OnnxConstants.ofArray(stored);
      constants.put(name, known);
    }
    return known;
  }

  private Constant constant(OnnxFile.Node node, int input) throws IOException {
    Constant known = constantOrNull(node.input(input));
    if (known == null) {
      throw new UnimportableException(
          "%s takes '%s', which must be an array of the file"
              .formatted(node.label(), node.input(input)));
    }
    return known;
  }

  // ---- operators ------------------------------------------------------------------------------

  private void evaluate(OnnxFile.Node node) throws IOException {
    if (node.outputs().isEmpty()) {
      throw new MalformedModelException(node.label() + " has no output");
    }
    boolean plain = node.domain().isEmpty();
    if (plain && node.operator().equals("Constant")) {
      constants.put(node.outputs().get(0), OnnxConstants.ofNode(node));
      return;
    }
    if (plain && tables.takes(node)) {
      Rows vectors = tables.read(node, this::constantOrNull);
      if (vectors != null) {
        put(node, 0, vectors);
      }
      return;
    }
    Constant first = node.inputs().isEmpty() ? null : constantOrNull(node.input(0));
    if (plain && series.makesState(node, first)) {
      return;
    } else if (plain && node.operator().equals("Shape") && first == null) {
      constants.put(node.outputs().get(0), OnnxConstants.sizes(node, value(node, 0)));
      return;
    } else if (plain && node.operator().equals("LSTM")) {
      remembered(node);
      return;
    } else if (plain && node.operator().equals("Split") && first == null) {
      split(node);
      return;
    }
    List<Constant> known = knownInputs(node);
    if (known != null) {
      constants.put(node.outputs().get(0), OnnxConstants.of(node, known));
      return;
    }
    if (plain && node.operator().equals("Pad")) {
      padded(node);
      return;
    }
    Rows result = node.domain().equals(LEARNING) ? learning.read(node, rows(node, 0)) : plain(node);
    int output =
        node.domain().equals(LEARNING) && node.operator().equals("LinearClassifier") ? 1 : 0;
    put(node, output, result);
  }

  /** Returns the arrays that are a node's inputs; null if an input depends on the rows. */
  private @Nullable List<Constant> knownInputs(OnnxFile.Node node) throws IOException {
    List<Constant> known = new ArrayList<>();
    for (String name : node.inputs()) {
      Constant each = name.isEmpty() ? null : constantOrNull(name);
      if (each == null && !name.isEmpty()) {
        return null;
      } else if (each != null) {
        known.add(each);
      }
    }
    return known.isEmpty() ? null : known;
  }

  private void put(OnnxFile.Node node, int output, Rows result) {
    if (output < node.outputs().size() && !node.outputs().get(output).isEmpty()) {
      values.put(node.outputs().get(output), result);
    }
  }

  private Rows plain(OnnxFile.Node node) throws IOException {
    if (OnnxActivations.isKnown(node)) {
      return activations.read(node, rows(node, 0), constantOrNull(node.input(1)));
    }
    return switch (node.operator()) {
      case "Identity", "Dropout" -> same(node);
      case "Cast" -> cast(node);
      case "Flatten" -> flat(node);
      case "Reshape" -> reshaped(node);
      case "Squeeze" -> value(node, 0).squeezed(axes(node), node.label());
      case "Unsqueeze" -> value(node, 0).unsqueezed(axes(node), node.label());
      case "Slice" -> sliced(node);
      case "Transpose" -> value(node, 0).permuted(node.integers("perm"), node.label());
      case "Concat" -> joined(node);
      case "Gather" -> gathered(node);
      case "OneHot" -> oneHot(node);
      case "Clip" -> clipped(node);
      case "MatMul" ->
          steps.linear(node.label(), rows(node, 0), constant(node, 1), null, 1, 1, false);
      case "Gemm" -> gemm(node);
      case "Add", "Sub", "Mul", "Div" -> arithmetic(node);
      case "Sum" -> combined(node, ImportedStep.Operation.SUM);
      case "Mean" -> combined(node, ImportedStep.Operation.MEAN);
      case "Max" -> combined(node, ImportedStep.Operation.MAXIMUM);
      case "Where" -> combined(node, ImportedStep.Operation.CHOICE);
      case "BatchNormalization" ->
          steps.normalized(
              node.label(),
              rows(node, 0),
              List.of(constant(node, 1), constant(node, 2), constant(node, 3), constant(node, 4)),
              node.number("epsilon", 1e-5));
      case "LayerNormalization" -> layerNormalized(node);
      case "PRelu" -> steps.rectified(node.label(), rows(node, 0), constant(node, 1));
      case "Conv" ->
          steps.convolved(
              node,
              padding.containsKey(node.input(0))
                  ? padding.get(node.input(0)).rows()
                  : rows(node, 0),
              padding.containsKey(node.input(0)) ? padding.get(node.input(0)).pads() : new long[4],
              constant(node, 1),
              node.input(2).isEmpty() ? null : constant(node, 2));
      case "MaxPool", "AveragePool" -> steps.pooled(node, rows(node, 0));
      case "GlobalAveragePool", "GlobalMaxPool" ->
          steps.pooledWhole(
              node.label(), rows(node, 0), node.operator().equals("GlobalMaxPool"), true);
      case "ReduceMean", "ReduceMax" -> reduced(node);
      default -> throw unknown(node);
    };
  }

  private static UnimportableException unknown(OnnxFile.Node node) {
    return other(node, "is known for arrays of the file only");
  }

  private static UnimportableException other(OnnxFile.Node node, String what) {
    return new UnimportableException("%s %s".formatted(node.label(), what));
  }

  private Rows same(OnnxFile.Node node) throws IOException {
    Integer category = categories.get(node.input(0));
    if (category != null) {
      categories.put(node.outputs().get(0), category);
    }
    return value(node, 0);
  }

  private Rows cast(OnnxFile.Node node) throws IOException {
    Rows rows = same(node);
    long to = node.integer("to", OnnxTensor.FLOAT);
    boolean category = own && rows.isInput();
    if (!category && !OnnxTensor.holdsDecimals((int) to)) {
      throw other(node, "makes whole numbers; numbers must stay what they are");
    }
    return rows;
  }

  private Rows gemm(OnnxFile.Node node) throws IOException {
    if (node.integer("transA", 0) != 0) {
      throw other(node, "has transA, which swaps rows and columns of events");
    }
    return steps.linear(
        node.label(),
        rows(node, 0),
        constant(node, 1),
        node.input(2).isEmpty() ? null : constant(node, 2),
        node.number("alpha", 1),
        node.number("beta", 1),
        node.integer("transB", 0) != 0);
  }

  private Rows arithmetic(OnnxFile.Node node) throws IOException {
    boolean second = values.get(node.input(0)) == null;
    Rows rows = rows(node, second ? 1 : 0);
    if (!second && values.get(node.input(1)) != null) {
      return switch (node.operator()) {
        case "Add" -> combined(node, ImportedStep.Operation.SUM);
        case "Sub" -> combined(node, ImportedStep.Operation.DIFFERENCE);
        case "Mul" -> combined(node, ImportedStep.Operation.PRODUCT);
        default -> combined(node, ImportedStep.Operation.QUOTIENT);
      };
    }
    Constant array = constant(node, second ? 0 : 1);
    rows = steps.stretched(node.label(), rows, array.numbers().length);
    double[] given = array.stretched(rows.shape(), node.label());
    double[] factor = new double[given.length];
    double[] added = new double[given.length];
    Arrays.fill(factor, 1);
    switch (node.operator()) {
      case "Add" -> System.arraycopy(given, 0, added, 0, given.length);
      case "Sub" -> {
        Arrays.fill(factor, second ? -1 : 1);
        Arrays.setAll(added, i -> second ? given[i] : -given[i]);
      }
      case "Mul" -> System.arraycopy(given, 0, factor, 0, given.length);
      default -> {
        if (second) {
          throw other(node, "divides by what a layer gives");
        }
        Arrays.setAll(factor, i -> 1 / given[i]);
      }
    }
    if (own && steps.isProbabilities(rows)) {
      // These are references beside the network; an application learns them itself.
      return rows;
    }
    return steps.affine(node.label(), rows, factor, added);
  }

  private Rows combined(OnnxFile.Node node, ImportedStep.Operation operation) throws IOException {
    List<Rows> parts = new ArrayList<>();
    for (int i = 0; i < node.inputs().size(); i++) {
      parts.add(rows(node, i));
    }
    int width = parts.stream().mapToInt(Rows::size).max().orElse(1);
    for (int i = 0; i < parts.size(); i++) {
      parts.set(i, steps.stretched(node.label(), parts.get(i), width));
    }
    return parts.size() == 1 ? parts.get(0) : steps.combined(node.label(), operation, parts);
  }

  private Rows layerNormalized(OnnxFile.Node node) throws IOException {
    Rows rows = rows(node, 0);
    long axis = node.integer("axis", -1);
    if (node.outputs().size() > 1 || (axis != -1 && axis != rows.shape().length)) {
      throw other(node, "must be over the last dimension, and have one output");
    }
    return steps.layerNormalized(
        node.label(),
        rows,
        constant(node, 1),
        node.input(2).isEmpty() ? null : constant(node, 2),
        node.number("epsilon", 1e-5));
  }

  /** Computes the mean of each row, or pools whole images or series. */
  private Rows reduced(OnnxFile.Node node) throws IOException {
    Rows rows = rows(node, 0);
    long[] axes = axes(node);
    int rank = rows.shape().length + 1;
    if (rank == 2
        && node.operator().equals("ReduceMean")
        && axes != null
        && axes.length == 1
        && (axes[0] == 1 || axes[0] == -1)) {
      return steps.rowMean(node.label(), rows, node.integer("keepdims", 1) != 0);
    }
    long[] counted =
        axes == null
            ? new long[0]
            : Arrays.stream(axes).map(each -> each < 0 ? each + rank : each).sorted().toArray();
    int[] others =
        IntStream.range(1, rank)
            .filter(i -> Arrays.stream(counted).noneMatch(axis -> axis == i))
            .toArray();
    if (rank < 3 || others.length != 1 || counted.length != rank - 2 || counted[0] < 1) {
      throw other(node, "must reduce all dimensions of images or series besides their channels");
    }
    int[] order =
        IntStream.concat(
                IntStream.of(others[0] - 1),
                Arrays.stream(counted).mapToInt(axis -> (int) axis - 1))
            .toArray();
    boolean max = node.operator().equals("ReduceMax");
    Rows pooled = steps.pooledWhole(node.label(), rows.transposed(order), max, false);
    long[] shape = new long[rank - 1];
    Arrays.fill(shape, 1);
    shape[others[0] - 1] = pooled.size();
    return node.integer("keepdims", 1) != 0 ? pooled.shaped(shape) : pooled;
  }

  // ---- shapes ---------------------------------------------------------------------------------

  private Rows flat(OnnxFile.Node node) throws IOException {
    Rows rows = rows(node, 0);
    if (node.integer("axis", 1) != 1) {
      throw other(node, "must keep the rows apart (axis 1)");
    }
    return rows.shaped(rows.size());
  }

  private Rows reshaped(OnnxFile.Node node) throws IOException {
    Rows rows = value(node, 0);
    long[] asked = constant(node, 1).whole();
    if (rows.place() != 0) {
      return reshapedAround(node, rows, asked);
    }
    long[] shape = asked.length < 2 ? new long[0] : Arrays.copyOfRange(asked, 1, asked.length);
    long known = 1;
    int open = -1;
    for (int i = 0; i < shape.length; i++) {
      if (shape[i] == 0 && i < rows.shape().length) {
        shape[i] = rows.shape()[i];
      }
      if (shape[i] == -1) {
        open = i;
      } else {
        known *= shape[i];
      }
    }
    if (open >= 0 && known > 0) {
      shape[open] = rows.size() / known;
      known *= shape[open];
    }
    if (known != rows.size() || asked.length == 0 || !ofRows(asked[0])) {
      throw other(
          node,
          String.format(
              Locale.ROOT,
              "gives rows of %d numbers the shape %s, which does not keep each row apart",
              rows.size(),
              Arrays.toString(asked)));
    }
    return rows.shaped(shape);
  }

  /** Gives a value another shape; the row keeps its position between the numbers. */
  private Rows reshapedAround(OnnxFile.Node node, Rows rows, long[] asked) throws IOException {
    long before = 1;
    for (int i = 0; i < rows.place(); i++) {
      before *= rows.shape()[i];
    }
    long prefix = 1;
    for (int j = 0; j < asked.length && prefix <= before; j++) {
      long[] rest = new long[asked.length - 1];
      System.arraycopy(asked, 0, rest, 0, j);
      System.arraycopy(asked, j + 1, rest, j, rest.length - j);
      long product = Arrays.stream(rest).anyMatch(size -> size < 1) ? -1 : 1;
      for (long size : rest) {
        product *= size;
      }
      if (prefix == before && ofRows(asked[j]) && product == rows.size()) {
        return rows.shaped(rest).placed(j);
      }
      prefix *= asked[j];
    }
    throw other(
        node,
        String.format(
            Locale.ROOT,
            "gives rows of %s at dimension %d the shape %s; rows must stay apart",
            Arrays.toString(rows.shape()),
            rows.place(),
            Arrays.toString(asked)));
  }

  /** Returns whether the first size of a shape is the number of rows, even a fixed number. */
  private boolean ofRows(long size) {
    return (size >= -1 && size <= 1)
        || file.inputs().stream()
            .map(OnnxFile.Value::shape)
            .anyMatch(shape -> shape != null && shape.length > 1 && shape[0] == size);
  }

  /** Returns the dimensions that a node names; null if it names none. */
  private long @Nullable [] axes(OnnxFile.Node node) throws IOException {
    long[] given = node.integers("axes");
    return given == null && !node.input(1).isEmpty() ? constant(node, 1).whole() : given;
  }

  private void padded(OnnxFile.Node node) throws IOException {
    Rows rows = rows(node, 0);
    long[] pads = numbers(node, 1, "pads");
    Constant value = node.input(2).isEmpty() ? null : constant(node, 2);
    boolean zeros =
        node.text("mode", "constant").equals("constant")
            && node.input(3).isEmpty()
            && node.number("value", 0) == 0
            && (value == null || Arrays.stream(value.numbers()).allMatch(each -> each == 0));
    if (!zeros
        || pads == null
        || pads.length != 8
        || rows.shape().length != 3
        || Arrays.stream(pads).anyMatch(each -> each < 0)
        || pads[0] + pads[1] + pads[4] + pads[5] != 0) {
      throw other(node, "must put zeros around images");
    }
    long[] around = {pads[2], pads[3], pads[6], pads[7]};
    padding.put(node.outputs().get(0), new Padded(rows, around));
  }

  private void remembered(OnnxFile.Node node) throws IOException {
    series.checkState(node, 5, constantOrNull(node.input(5)));
    series.checkState(node, 6, constantOrNull(node.input(6)));
    OnnxSeries.Weights weights =
        new OnnxSeries.Weights(
            constant(node, 1),
            constant(node, 2),
            node.input(3).isEmpty() ? null : constant(node, 3));
    OnnxSeries.Outputs given = series.read(node, value(node, 0), weights);
    put(node, 0, given.all());
    put(node, 1, given.last());
  }

  private Rows joined(OnnxFile.Node node) throws IOException {
    List<Rows> parts = new ArrayList<>();
    for (int i = 0; i < node.inputs().size(); i++) {
      parts.add(rows(node, i));
    }
    long axis = node.integer("axis", 1);
    boolean inRow = axis == 1 || axis == -1;
    if (inRow && parts.size() == 2) {
      Rows both = steps.bothClasses(node.label(), parts.get(0), parts.get(1));
      if (both != null) {
        return both;
      }
    }
    if (inRow
        && parts.stream()
            .allMatch(part -> part.isInput() && (part.shape().length <= 1 || part.size() == 1))) {
      return Rows.joined(parts);
    } else if (axis != 1 && !(axis == -1 && parts.get(0).shape().length == 1)) {
      throw other(node, "must join along axis 1");
    }
    return parts.size() == 1 ? parts.get(0) : steps.merged(node.label(), parts);
  }

  private long @Nullable [] numbers(OnnxFile.Node node, int input, String attribute)
      throws IOException {
    return node.input(input).isEmpty() ? node.integers(attribute) : constant(node, input).whole();
  }

  /** Selects a range of a dimension, or one step of a series. */
  private Rows sliced(OnnxFile.Node node) throws IOException {
    Rows value = value(node, 0);
    long[] starts = numbers(node, 1, "starts");
    long[] ends = numbers(node, 2, "ends");
    long[] axes = numbers(node, 3, "axes");
    long[] strides = numbers(node, 4, "steps");
    if (steps.isSeries(value)) {
      return series.sliced(node, value, starts, ends, axes, strides);
    } else if (starts == null
        || ends == null
        || starts.length != ends.length
        || (axes != null && axes.length != starts.length)
        || (strides != null && Arrays.stream(strides).anyMatch(each -> each != 1))) {
      throw other(node, "must take ranges, without steps");
    }
    Rows rows = value;
    for (int i = 0; i < starts.length; i++) {
      int dimension = rows.inRow(axes == null ? i : axes[i], node.label());
      if (dimension < 0) {
        if (starts[i] == 0 && ends[i] >= Integer.MAX_VALUE) {
          continue;
        }
        throw other(node, "takes some of the rows");
      }
      long size = rows.shape()[dimension];
      long from = Math.min(size, starts[i] < 0 ? starts[i] + size : starts[i]);
      long to = Math.min(size, ends[i] < 0 ? ends[i] + size : ends[i]);
      if (from < 0 || to <= from) {
        throw other(node, "takes nothing");
      }
      rows = rows.range(dimension, (int) from, (int) to);
    }
    return rows;
  }

  private void split(OnnxFile.Node node) throws IOException {
    Rows rows = value(node, 0);
    int dimension = rows.inRow(node.integer("axis", 0), node.label());
    if (dimension < 0) {
      throw other(node, "takes some of the rows");
    }
    long size = rows.shape()[dimension];
    int count = node.outputs().size();
    long[] given = numbers(node, 1, "split");
    long[] sizes = new long[count];
    long part = (size + count - 1) / count;
    Arrays.setAll(sizes, i -> Math.min(part, size - i * part));
    long[] lengths = given == null ? sizes : given;
    if (lengths.length != count
        || Arrays.stream(lengths).anyMatch(each -> each < 1 || each > size)
        || Arrays.stream(lengths).sum() != size) {
      throw other(node, "has parts of the sizes " + Arrays.toString(lengths));
    }
    int from = 0;
    for (int i = 0; i < count; i++) {
      put(node, i, rows.range(dimension, from, from + (int) lengths[i]));
      from += (int) lengths[i];
    }
  }

  private Rows gathered(OnnxFile.Node node) throws IOException {
    if (constantOrNull(node.input(0)) != null) {
      throw other(node, "looks up rows of a table by numbers that are no ids of an input");
    }
    Constant index = constant(node, 1);
    Rows value = value(node, 0);
    if (steps.isSeries(value)) {
      return series.gathered(node, value, index);
    }
    Rows rows = rows(node, 0);
    long axis = node.integer("axis", 0);
    if ((axis != 1 && axis != -1) || rows.shape().length != 1) {
      throw other(node, "must choose columns of the inputs (axis 1)");
    }
    long[] whole = index.whole();
    int[] places = new int[whole.length];
    for (int i = 0; i < places.length; i++) {
      long place = whole[i];
      place += place < 0 ? rows.size() : 0;
      if (place < 0 || place >= rows.size()) {
        throw other(
            node, String.format(Locale.ROOT, "chooses column %d of %d", place, rows.size()));
      }
      places[i] = (int) place;
    }
    boolean one = index.shape().length == 0;
    if (own && one && node.input(0).equals(io.idlalayer.modelloader.onnx.OnnxModel.CATEGORIES)) {
      categories.put(node.outputs().get(0), places[0]);
    }
    return one ? rows.picked(places) : rows.picked(places, places.length);
  }

  private Rows oneHot(OnnxFile.Node node) throws IOException {
    Integer category = categories.get(node.input(0));
    if (category == null) {
      throw other(node, "is known in files that iDlaLayer wrote only; give the columns as inputs");
    }
    return inputs.oneHot(category);
  }

  private Rows clipped(OnnxFile.Node node) throws IOException {
    Rows rows = rows(node, 0);
    Constant least = node.input(1).isEmpty() ? null : constant(node, 1);
    Constant most = node.input(2).isEmpty() ? null : constant(node, 2);
    if (!rows.isInput()) {
      double lower = bound(node, least, "min", -UNBOUNDED);
      double upper = bound(node, most, "max", UNBOUNDED);
      return lower <= -UNBOUNDED && upper >= UNBOUNDED
          ? rows
          : activations.clip(
              node, rows, lower, upper >= UNBOUNDED ? Double.POSITIVE_INFINITY : upper);
    }
    // The application bounds its inputs itself.
    return rows;
  }

  /** Returns a bound from an input of a node or, in older files, from an attribute. */
  private static double bound(
      OnnxFile.Node node, @Nullable Constant given, String attribute, double none)
      throws UnimportableException {
    if (given == null) {
      return node.number(attribute, none);
    }
    if (given.numbers().length != 1) {
      throw other(node, "bounds what a layer gives by an array; known is a single number");
    }
    return given.numbers()[0];
  }
}
