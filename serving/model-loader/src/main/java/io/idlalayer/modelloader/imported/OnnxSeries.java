package io.idlalayer.modelloader.imported;

import io.idlalayer.modelloader.onnx.file.OnnxFile;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads LSTM layers of a graph. The row is the second dimension of their time series, so the values
 * before and behind them do not have the row as the first dimension.
 */
final class OnnxSeries {
  private static final int GATES = 4;
  private static final Set<String> OF_SIZES =
      Set.of("Gather", "Unsqueeze", "Squeeze", "Concat", "Cast", "Slice", "Identity");

  private static final Set<String> OF_ZEROS =
      Set.of("Slice", "Unsqueeze", "Squeeze", "Expand", "Identity", "Cast", "Transpose", "Reshape");

  private final ImportedSteps steps;

  /** Names of values that contain the number of rows. */
  private final Set<String> sizes = new HashSet<>();

  /** Names of arrays of zeros with a place for each row. */
  private final Set<String> zeros = new HashSet<>();

  OnnxSeries(ImportedSteps steps) {
    this.steps = steps;
  }

  /**
   * The arrays that an LSTM uses besides its series; null for an array that the node omits.
   *
   * @param inputs shape [1, 4 * units, size]
   * @param outputs shape [1, 4 * units, units]
   * @param bias shape [1, 8 * units]
   */
  record Weights(Constant inputs, Constant outputs, @Nullable Constant bias) {}

  /**
   * The outputs of an LSTM.
   *
   * @param all outputs of all time steps
   * @param last outputs of the last time step
   */
  record Outputs(Rows all, Rows last) {}

  /**
   * Remembers a node that only creates a first state of zeros, with a place for each row, as
   * PyTorch writes it.
   *
   * @param first the node's first input, if this input is an array of the file
   * @return whether the node is such a node
   */
  boolean makesState(OnnxFile.Node node, @Nullable Constant first) throws MalformedModelException {
    String output = node.outputs().get(0);
    boolean ofSizes = node.inputs().stream().anyMatch(sizes::contains);
    if (node.operator().equals("Shape") || (ofSizes && OF_SIZES.contains(node.operator()))) {
      // The sizes are numbers too; nodes that reshape rows need them.
      sizes.add(output);
      return false;
    }
    boolean empty =
        switch (node.operator()) {
          case "ConstantOfShape" -> ofSizes && isZero(node.attributes().get("value"));
          case "Expand" -> first != null && isZero(first.numbers());
          case "Slice", "Unsqueeze" ->
              first != null && first.shape().length > 1 && isZero(first.numbers());
          default -> false;
        };
    boolean ofZeros = zeros.contains(node.input(0)) && OF_ZEROS.contains(node.operator());
    return (empty || ofZeros) && zeros.add(output);
  }

  private static boolean isZero(OnnxFile.@Nullable Attribute value) throws MalformedModelException {
    return value == null || value.array() == null || isZero(value.array().numbers());
  }

  private static boolean isZero(double[] numbers) {
    return Arrays.stream(numbers).allMatch(each -> each == 0);
  }

  /**
   * Checks that the node omits a first state, or that the state is zeros.
   *
   * @param known the state, if it is an array of the file; else null
   */
  void checkState(OnnxFile.Node node, int input, @Nullable Constant known)
      throws UnimportableException {
    String name = node.input(input);
    if (!name.isEmpty() && !zeros.contains(name) && (known == null || !isZero(known.numbers()))) {
      throw other(node, "begins with the state '%s', which is not zeros".formatted(name));
    }
  }

  private static UnimportableException other(OnnxFile.Node node, String what) {
    return new UnimportableException("%s %s".formatted(node.label(), what));
  }

  /** Reads an LSTM. The caller has checked its first states. */
  Outputs read(OnnxFile.Node node, Rows series, Weights weights) throws UnimportableException {
    boolean rowsFirst = node.integer("layout", 0) == 1;
    if (series.place() != (rowsFirst ? 0 : 1) || series.shape().length != 2) {
      throw other(
          node,
          String.format(
              Locale.ROOT,
              "takes rows of %s at dimension %d; it must take steps, rows and values of a step",
              Arrays.toString(series.shape()),
              series.place()));
    }
    if (!node.text("direction", "forward").equals("forward")
        || node.attributes().containsKey("clip")
        || node.integer("input_forget", 0) != 0) {
      throw other(node, "has direction, clip or input_forget; known is one that goes forward");
    }
    if (!node.input(4).isEmpty() || !node.input(7).isEmpty()) {
      throw other(node, "has lengths of series or weights of its memory (peepholes)");
    }
    int steps = (int) series.shape()[0];
    int size = (int) series.shape()[1];
    long units = node.integer("hidden_size", 0);
    requireShape(node, weights.inputs(), 1, GATES * units, size);
    requireShape(node, weights.outputs(), 1, GATES * units, units);
    Rows all =
        this.steps.recurrent(
            step(node, weights, (int) units, steps, size), series.transposed(new int[] {1, 0}));
    Rows inSteps = all.transposed(new int[] {1, 0});
    return new Outputs(
        inSteps.shaped(steps, 1, units).placed(rowsFirst ? 0 : 2),
        inSteps.at(0, steps - 1).shaped(1, units).placed(rowsFirst ? 0 : 1));
  }

  private static ImportedStep.Recurrent step(
      OnnxFile.Node node, Weights weights, int units, int steps, int size)
      throws UnimportableException {
    double[] bias = new double[GATES * units];
    Constant both = weights.bias();
    if (both != null) {
      requireShape(node, both, 1, 2L * GATES * units);
      Arrays.setAll(bias, i -> both.numbers()[i] + both.numbers()[bias.length + i]);
    }
    List<String> named = node.texts("activations");
    if (!named.isEmpty() && named.size() != 3) {
      throw other(node, "has %s as activations; it has three".formatted(named));
    }
    ImportedStep.Function gates = function(node, named.isEmpty() ? "Sigmoid" : named.get(0));
    ImportedStep.Function taken = function(node, named.isEmpty() ? "Tanh" : named.get(1));
    ImportedStep.Function given = function(node, named.isEmpty() ? "Tanh" : named.get(2));
    if (taken != given) {
      throw other(node, "has different activations for what comes in and for what it gives");
    }
    return new ImportedStep.Recurrent(
        node.label(),
        size,
        units,
        steps,
        ImportedSteps.finite(node.label(), weights.inputs().numbers()),
        ImportedSteps.finite(node.label(), weights.outputs().numbers()),
        ImportedSteps.finite(node.label(), bias),
        taken,
        gates);
  }

  private static ImportedStep.Function function(OnnxFile.Node node, String name)
      throws UnimportableException {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "relu" -> ImportedStep.Function.RELU;
      case "tanh" -> ImportedStep.Function.TANH;
      case "sigmoid" -> ImportedStep.Function.SIGMOID;
      default ->
          throw other(node, "has the activation %s; known are Relu, Tanh, Sigmoid".formatted(name));
    };
  }

  private static void requireShape(OnnxFile.Node node, Constant array, long... shape)
      throws UnimportableException {
    if (!Arrays.equals(array.shape(), shape)) {
      throw other(
          node,
          "has weights of shape %s in place of %s"
              .formatted(Arrays.toString(array.shape()), Arrays.toString(shape)));
    }
  }

  // ---- one step -------------------------------------------------------------------------------

  /**
   * Returns one time step of an LSTM's output.
   *
   * @param index number of the step; below 0 it counts from the end
   */
  Rows gathered(OnnxFile.Node node, Rows series, Constant index) throws UnimportableException {
    if (index.shape().length != 0) {
      throw noStep(node);
    }
    int dimension = dimension(node, series, node.integer("axis", 0));
    return series.at(dimension, step(node, index.whole()[0], series.shape()[dimension]));
  }

  /**
   * Returns one time step of an LSTM's output, in a dimension of its own. A parameter is null if
   * the node does not have the input.
   *
   * @param starts the first step; {@code ends}, {@code axes} and {@code strides} are the other
   *     inputs of the node
   */
  Rows sliced(
      OnnxFile.Node node,
      Rows series,
      long @Nullable [] starts,
      long @Nullable [] ends,
      long @Nullable [] axes,
      long @Nullable [] strides)
      throws UnimportableException {
    if (!steps.isSeries(series)
        || starts == null
        || ends == null
        || axes == null
        || starts.length != 1
        || ends.length != 1
        || axes.length != 1
        || (strides != null && !Arrays.equals(strides, new long[] {1}))) {
      throw noStep(node);
    }
    int dimension = dimension(node, series, axes[0]);
    long size = series.shape()[dimension];
    int step = step(node, starts[0], size);
    if (Math.min(ends[0] < 0 ? ends[0] + size : ends[0], size) != step + 1) {
      throw noStep(node);
    }
    long[] shape = series.shape().clone();
    shape[dimension] = 1;
    return series.at(dimension, step).shaped(shape).placed(series.place());
  }

  private static UnimportableException noStep(OnnxFile.Node node) {
    return other(node, "must choose one step of a time series");
  }

  private static int dimension(OnnxFile.Node node, Rows series, long axis)
      throws UnimportableException {
    int dimension = series.inRow(axis, node.label());
    if (dimension < 0) {
      throw noStep(node);
    }
    return dimension;
  }

  private static int step(OnnxFile.Node node, long given, long steps) throws UnimportableException {
    long step = given < 0 ? given + steps : given;
    if (step < 0 || step >= steps) {
      throw other(node, String.format(Locale.ROOT, "chooses step %d of %d", given, steps));
    }
    return (int) step;
  }
}
