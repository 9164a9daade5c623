package io.idlalayer.modelloader.imported;

import io.idlalayer.modelloader.onnx.file.OnnxFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The steps of a network, collected while its graph is read. */
final class ImportedSteps {
  private final List<ImportedNetwork.Node> nodes = new ArrayList<>();

  /** The places of the steps for inputs, by input; several steps can use one input. */
  private final Map<Rows, Integer> inputs = new HashMap<>();

  /** Returns the place of the step that returns a value in exactly the value's order. */
  private int use(Rows rows, String node) {
    if (rows.isInput()) {
      Integer known = inputs.get(rows);
      if (known != null) {
        return known;
      }
      ImportedStep step = new ImportedStep.Input(node, rows.element(), rows.scale(), rows.shift());
      inputs.put(rows, nodes.size());
      nodes.add(new ImportedNetwork.Node(step, List.of(), rows.size()));
    } else if (rows.ordered() && rows.size() == nodes.get(rows.step() - 1).outputs()) {
      return rows.step() - 1;
    } else {
      ImportedStep step = new ImportedStep.Ordered(node, rows.element());
      nodes.add(new ImportedNetwork.Node(step, List.of(rows.step() - 1), rows.size()));
    }
    return nodes.size() - 1;
  }

  /** Adds a step with one value as its input. */
  private Rows add(ImportedStep step, Rows from, long... shape) throws UnimportableException {
    return add(step, List.of(use(from, step.node())), shape);
  }

  private Rows add(ImportedStep step, List<Integer> sources, long... shape)
      throws UnimportableException {
    Rows given = Rows.of(nodes.size() + 1, shape);
    nodes.add(new ImportedNetwork.Node(step, sources, given.size()));
    return given;
  }

  /** Returns whether a value has all numbers of a step, in some order. */
  private boolean isPermutation(Rows rows) {
    return !rows.isInput()
        && rows.size() == nodes.get(rows.step() - 1).outputs()
        && new ImportedStep.Ordered("", rows.element()).isPermutation(rows.size());
  }

  /**
   * Adds a step that treats each number by itself. A change of the order of the numbers moves from
   * before this step to behind it, so that layers stay next to each other.
   */
  private Rows each(ImportedStep step, Rows rows) {
    nodes.add(new ImportedNetwork.Node(step, List.of(rows.step() - 1), rows.size()));
    return rows.behind(nodes.size());
  }

  private @Nullable ImportedStep of(Rows rows) {
    return rows.isInput() ? null : nodes.get(rows.step() - 1).step();
  }

  Rows linear(
      String node,
      Rows rows,
      Constant weights,
      @Nullable Constant bias,
      double alpha,
      double beta,
      boolean transposed)
      throws UnimportableException {
    long[] shape = weights.shape();
    boolean matrix = shape.length == 2 && rows.shape().length <= 1;
    int inputs = matrix ? (int) shape[transposed ? 1 : 0] : -1;
    if (!matrix || inputs != rows.size()) {
      throw new UnimportableException(
          "%s takes rows of %s, and has weights of shape %s%s"
              .formatted(
                  node,
                  Arrays.toString(rows.shape()),
                  Arrays.toString(shape),
                  transposed ? ", transposed" : ""));
    }
    int outputs = (int) shape[transposed ? 0 : 1];
    double[] product = (transposed ? weights.transposed(new int[] {1, 0}) : weights).numbers();
    double[] scaled = Arrays.stream(product).map(each -> alpha * each).toArray();
    double[] sum = bias == null ? new double[outputs] : bias.stretched(new long[] {outputs}, node);
    return add(
        new ImportedStep.Linear(
            node,
            inputs,
            outputs,
            finite(node, scaled),
            finite(node, Arrays.stream(sum).map(each -> beta * each).toArray())),
        rows,
        outputs);
  }

  static double[] finite(String node, double[] numbers) throws UnimportableException {
    for (double each : numbers) {
      if (!Float.isFinite((float) each)) {
        throw new UnimportableException("%s has the weight %s".formatted(node, each));
      }
    }
    return numbers;
  }

  Rows affine(String node, Rows rows, double[] factor, double[] added)
      throws UnimportableException {
    finite(node, factor);
    finite(node, added);
    if (rows.isInput()) {
      return rows.transformed(factor, added);
    }
    if (!isPermutation(rows)) {
      return add(new ImportedStep.Affine(node, factor, added), rows, rows.shape());
    }
    double[] scale = new double[factor.length];
    double[] shift = new double[factor.length];
    for (int i = 0; i < factor.length; i++) {
      scale[rows.element()[i]] = factor[i];
      shift[rows.element()[i]] = added[i];
    }
    return each(new ImportedStep.Affine(node, scale, shift), rows);
  }

  Rows activated(String node, Rows rows, ImportedStep.Function function, double alpha)
      throws UnimportableException {
    if (rows.isInput()) {
      throw new UnimportableException("%s takes inputs of the network itself".formatted(node));
    }
    ImportedStep step = new ImportedStep.Activated(node, function, alpha);
    boolean ofRows =
        function == ImportedStep.Function.SOFTMAX || function == ImportedStep.Function.LOG_SOFTMAX;
    return ofRows || !isPermutation(rows) ? add(step, rows, rows.shape()) : each(step, rows);
  }

  /**
   * Adds a rectifier with learned slopes.
   *
   * @param slopes a single slope, one slope per channel, or one slope per number
   */
  Rows rectified(String node, Rows rows, Constant slopes) throws UnimportableException {
    if (rows.isInput()) {
      throw new UnimportableException("%s takes inputs of the network itself".formatted(node));
    }
    double[] given = finite(node, slopes.numbers());
    double[] places = new double[given.length];
    Arrays.setAll(places, i -> i);
    double[] place = new Constant(slopes.shape(), places).stretched(rows.shape(), node);
    boolean permutation = isPermutation(rows);
    int[] slope = new int[place.length];
    for (int i = 0; i < slope.length; i++) {
      slope[permutation ? rows.element()[i] : i] = (int) place[i];
    }
    int[] neighbours = neighbours(slope);
    if (neighbours.length == 0) {
      throw new UnimportableException(
          "%s has slopes of shape %s for rows of %s; known are a single one, one for each channel, and one for each number"
              .formatted(node, Arrays.toString(slopes.shape()), Arrays.toString(rows.shape())));
    }
    double[] inOrder = Arrays.stream(neighbours).mapToDouble(i -> given[i]).toArray();
    ImportedStep step = new ImportedStep.ParametricRelu(node, inOrder);
    return permutation ? each(step, rows) : add(step, rows, rows.shape());
  }

  /**
   * Returns the places of the slopes, each once, if each slope belongs to equally many neighbouring
   * numbers.
   *
   * @param slope for each number of a row the place of its slope
   * @return an empty array if the numbers that share a slope are not such neighbours
   */
  private static int[] neighbours(int[] slope) {
    int[] distinct = Arrays.stream(slope).distinct().toArray();
    int span = slope.length / Math.max(1, distinct.length);
    boolean equal =
        distinct.length > 0
            && slope.length % distinct.length == 0
            && IntStream.range(0, slope.length).allMatch(i -> slope[i] == distinct[i / span]);
    return equal ? distinct : new int[0];
  }

  /**
   * @param values scale, shift, mean and variance
   */
  Rows normalized(String node, Rows rows, List<Constant> values, double epsilon)
      throws UnimportableException {
    long channels = rows.shape().length == 0 ? 0 : rows.shape()[0];
    for (Constant each : values) {
      if (each.numbers().length != channels) {
        throw new UnimportableException(
            String.format(
                Locale.ROOT,
                "%s has %d numbers for %d channels",
                node,
                each.numbers().length,
                channels));
      }
      finite(node, each.numbers());
    }
    ImportedStep.Normalized step =
        new ImportedStep.Normalized(
            node,
            values.get(0).numbers(),
            values.get(1).numbers(),
            values.get(2).numbers(),
            values.get(3).numbers(),
            epsilon);
    if (rows.isInput()) {
      ImportedStep.Affine affine = step.affine();
      int pixels = rows.size() / (int) channels;
      double[] scale = new double[rows.size()];
      double[] shift = new double[rows.size()];
      Arrays.setAll(scale, i -> affine.scale()[i / pixels]);
      Arrays.setAll(shift, i -> affine.shift()[i / pixels]);
      return affine(node, rows, scale, shift);
    }
    return add(step, rows, rows.shape());
  }

  /**
   * Adds a layer normalization.
   *
   * @param beta null for zeros
   */
  Rows layerNormalized(
      String node, Rows rows, Constant gamma, @Nullable Constant beta, double epsilon)
      throws UnimportableException {
    double[] shift = beta == null ? new double[rows.size()] : beta.numbers();
    if (rows.shape().length != 1
        || gamma.numbers().length != rows.size()
        || shift.length != rows.size()) {
      throw new UnimportableException(
          String.format(
              Locale.ROOT,
              "%s normalizes %d numbers of rows of %s; known is that of all numbers of a row",
              node,
              gamma.numbers().length,
              Arrays.toString(rows.shape())));
    }
    ImportedStep step =
        new ImportedStep.LayerNormalized(
            node, finite(node, gamma.numbers()), finite(node, shift), epsilon);
    return add(step, rows, rows.shape());
  }

  /**
   * Adds the mean of each row.
   *
   * @param stays whether the dimension of the mean stays, with size 1
   */
  Rows rowMean(String node, Rows rows, boolean stays) throws UnimportableException {
    return add(new ImportedStep.RowMean(node), rows, stays ? new long[] {1} : new long[0]);
  }

  /** Returns a value of one number per row repeated {@code count} times, another unchanged. */
  Rows stretched(String node, Rows rows, int count) throws UnimportableException {
    return rows.size() != 1 || count == 1 || rows.shape().length != 1 || rows.isInput()
        ? rows
        : add(new ImportedStep.Stretched(node), rows, count);
  }

  // ---- classes --------------------------------------------------------------------------------

  /** Returns whether a value has the probabilities of classes. */
  boolean isProbabilities(Rows rows) {
    return of(rows) instanceof ImportedStep.BothClasses
        || (of(rows) instanceof ImportedStep.Activated activated
            && activated.function() == ImportedStep.Function.SOFTMAX);
  }

  /** Returns the probabilities of two classes from the probability of the second class. */
  Rows bothClasses(String node, Rows second) throws UnimportableException {
    return add(new ImportedStep.BothClasses(node), second, 2);
  }

  /**
   * Returns the probabilities of two classes, if the first value is 1 minus the second value, and
   * the second is a sigmoid; else null.
   */
  @Nullable Rows bothClasses(String node, Rows first, Rows second) throws UnimportableException {
    if (second.size() != 1
        || !(of(first) instanceof ImportedStep.Affine affine)
        || affine.scale()[0] != -1
        || affine.shift()[0] != 1
        || !nodes.get(first.step() - 1).sources().equals(List.of(second.step() - 1))
        || !(of(second) instanceof ImportedStep.Activated activated)
        || activated.function() != ImportedStep.Function.SIGMOID) {
      return null;
    }
    return bothClasses(node, second);
  }

  /** Returns whether a value is a product whose two outputs are each other's negative. */
  boolean opposite(Rows rows) {
    if (!(of(rows) instanceof ImportedStep.Linear linear) || linear.outputs() != 2) {
      return false;
    }
    boolean opposite = linear.bias()[0] == -linear.bias()[1];
    for (int i = 0; i < linear.inputs(); i++) {
      opposite &= linear.weights()[2 * i] == -linear.weights()[2 * i + 1];
    }
    return opposite;
  }

  /**
   * Returns the probabilities of two classes. The two sums are each other's negative, and each
   * probability is the sigmoid of its sum: this equals the softmax of half the sums.
   */
  Rows halved(String node, Rows sums) throws UnimportableException {
    double[] half = {0.5, 0.5};
    return activated(
        node, affine(node, sums, half, new double[2]), ImportedStep.Function.SOFTMAX, 0);
  }

  // ---- branches -------------------------------------------------------------------------------

  /** Combines values of equal shape number by number. */
  Rows combined(String node, ImportedStep.Operation operation, List<Rows> parts)
      throws UnimportableException {
    Rows first = parts.get(0);
    List<Integer> sources = new ArrayList<>();
    for (Rows each : parts) {
      if (!Arrays.equals(each.shape(), first.shape()) || each.place() != 0) {
        throw new UnimportableException(
            "%s combines rows of the shapes %s and %s; known are equal ones"
                .formatted(node, Arrays.toString(first.shape()), Arrays.toString(each.shape())));
      }
    }
    ImportedStep step = new ImportedStep.Combined(node, operation);
    if (parts.stream()
        .allMatch(each -> isPermutation(each) && Arrays.equals(each.element(), first.element()))) {
      parts.forEach(each -> sources.add(each.step() - 1));
      nodes.add(new ImportedNetwork.Node(step, sources, first.size()));
      return first.behind(nodes.size());
    }
    for (Rows each : parts) {
      sources.add(use(each, node));
    }
    return add(step, sources, first.shape());
  }

  /** Puts values one after the other, along the first dimension that is not the row. */
  Rows merged(String node, List<Rows> parts) throws UnimportableException {
    long[] shape = parts.get(0).shape().clone();
    List<Integer> sources = new ArrayList<>();
    long length = 0;
    for (Rows each : parts) {
      if (each.shape().length != shape.length
          || shape.length == 0
          || !Arrays.equals(each.shape(), 1, shape.length, shape, 1, shape.length)) {
        throw new UnimportableException(
            "%s joins rows of the shapes %s and %s"
                .formatted(node, Arrays.toString(shape), Arrays.toString(each.shape())));
      }
      length += each.shape()[0];
      sources.add(use(each, node));
    }
    shape[0] = length;
    return add(new ImportedStep.Merged(node), sources, shape);
  }

  // ---- images ---------------------------------------------------------------------------------

  /** Returns rows of channels and steps as images of one line; other rows unchanged. */
  private static Rows images(Rows rows) {
    long[] shape = rows.shape();
    return shape.length == 2 ? rows.shaped(shape[0], 1, shape[1]) : rows;
  }

  /** Returns the images that a layer returned, with as many dimensions as its input had. */
  private static Rows likewise(Rows from, Rows images) {
    long[] shape = images.shape();
    return from.shape().length == 2 ? images.shaped(shape[0], shape[2]) : images;
  }

  /**
   * @param around lines and columns of zeros around the images, in addition to the node's padding
   */
  Rows convolved(
      OnnxFile.Node node, Rows rows, long[] around, Constant weights, @Nullable Constant bias)
      throws UnimportableException {
    long[] given = weights.shape();
    String label = node.label();
    if (node.integer("group", 1) != 1) {
      throw new UnimportableException(label + " has groups; known are convolutions without");
    }
    boolean line = given.length == 3;
    long[] shape = line ? new long[] {given[0], given[1], 1, given[2]} : given;
    if (shape.length != 4
        || rows.shape().length != given.length - 1
        || shape[1] != rows.shape()[0]) {
      throw new UnimportableException(
          "%s takes images of %s, and has weights of shape %s; known are convolutions over one or two dimensions"
              .formatted(label, Arrays.toString(rows.shape()), Arrays.toString(given)));
    }
    int filters = (int) shape[0];
    Rows images = images(rows);
    ImportedStep.Frame frame =
        OnnxFrames.of(node, images.shape(), around, (int) shape[2], (int) shape[3]);
    double[] sum = bias == null ? new double[filters] : bias.stretched(new long[] {filters}, label);
    ImportedStep step =
        new ImportedStep.Convolved(
            label, filters, finite(label, weights.numbers()), finite(label, sum), frame);
    return likewise(rows, add(step, images, filters, frame.outputHeight(), frame.outputWidth()));
  }

  Rows pooled(OnnxFile.Node node, Rows rows) throws UnimportableException {
    long[] window = node.integers("kernel_shape");
    if (window == null
        || (window.length != 1 && window.length != 2)
        || rows.shape().length != window.length + 1) {
      throw new UnimportableException(
          node.label() + " must pool images over two dimensions, or series over one");
    }
    int columns = (int) window[window.length - 1];
    Rows images = images(rows);
    ImportedStep.Frame frame =
        OnnxFrames.of(
            node, images.shape(), new long[4], window.length == 1 ? 1 : (int) window[0], columns);
    boolean max = node.operator().equals("MaxPool");
    boolean padded = node.integer("count_include_pad", 0) != 0;
    ImportedStep step = new ImportedStep.Pooled(node.label(), max, padded, frame);
    return likewise(
        rows, add(step, images, frame.channels(), frame.outputHeight(), frame.outputWidth()));
  }

  /**
   * Pools each channel to one number.
   *
   * @param stays whether the dimensions stay, with size 1
   */
  Rows pooledWhole(String node, Rows rows, boolean max, boolean stays)
      throws UnimportableException {
    if (rows.shape().length != 2 && rows.shape().length != 3) {
      throw new UnimportableException(
          "%s takes rows of %s; it must pool whole images or series of channels"
              .formatted(node, Arrays.toString(rows.shape())));
    }
    Rows images = images(rows);
    int channels = (int) images.shape()[0];
    int height = (int) images.shape()[1];
    int width = (int) images.shape()[2];
    ImportedStep.Frame frame =
        new ImportedStep.Frame(channels, height, width, height, width, 1, 1, 0, 0, 1, 1);
    Rows given = add(new ImportedStep.Pooled(node, max, false, frame), images, channels, 1, 1);
    return stays ? likewise(rows, given) : given.shaped(channels);
  }

  /** Returns whether a value is the output of an LSTM, with more than one time step. */
  boolean isSeries(Rows rows) {
    return !rows.isInput() && rows.shape().length > 1 && of(rows) instanceof ImportedStep.Recurrent;
  }

  // ---- time series ----------------------------------------------------------------------------

  /**
   * Adds an LSTM.
   *
   * @param series shape [size, steps]
   * @return shape [units, steps]
   */
  Rows recurrent(ImportedStep.Recurrent step, Rows series) throws UnimportableException {
    return add(step, series, step.units(), step.steps());
  }

  /**
   * Returns the network.
   *
   * @param predictions its output
   * @param classes for each class of the application its place among the outputs
   * @param tables rows of each table of the application
   */
  ImportedNetwork network(
      Rows predictions, String output, int[] classes, List<ImportedTable> tables)
      throws UnimportableException {
    if (nodes.isEmpty()) {
      throw new UnimportableException("it has no layers");
    }
    int last = use(predictions, output);
    return new ImportedNetwork(nodes, last, IntStream.of(classes).toArray(), tables);
  }
}
