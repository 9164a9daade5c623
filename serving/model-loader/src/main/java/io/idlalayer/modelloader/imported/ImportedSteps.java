package io.idlalayer.modelloader.imported;

import io.idlalayer.modelloader.onnx.file.OnnxFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a network while its graph is read. Each step takes what the one before it gives;
 * whatever takes an earlier value is a branch, which is refused.
 */
final class ImportedSteps {
  private final List<ImportedStep> steps = new ArrayList<>();
  private @Nullable Rows input;
  private int outputs;

  /**
   * Takes a value as what the next step takes.
   *
   * @param node what takes it, for messages
   * @throws UnimportableException if another step takes it already
   */
  void use(Rows rows, String node) throws UnimportableException {
    if (rows.isInput() && input == null) {
      input = rows;
    } else if (rows.isInput() || rows.step() != steps.size()) {
      throw new UnimportableException(
          "%s takes what another layer takes too; only a sequence of layers is known"
              .formatted(node));
    } else if (!rows.ordered() || (!rows.isInput() && rows.size() != outputs)) {
      steps.add(new ImportedStep.Ordered(node, rows.element()));
    }
  }

  private Rows add(ImportedStep step, long... shape) throws UnimportableException {
    steps.add(step);
    Rows given = Rows.of(steps.size(), shape);
    outputs = given.size();
    return given;
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
    use(rows, node);
    return add(
        new ImportedStep.Linear(
            node,
            inputs,
            outputs,
            finite(node, scaled),
            finite(node, Arrays.stream(sum).map(each -> beta * each).toArray())),
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
    use(rows, node);
    return add(new ImportedStep.Affine(node, factor, added), rows.shape());
  }

  Rows activated(String node, Rows rows, ImportedStep.Function function, double alpha)
      throws UnimportableException {
    if (rows.isInput()) {
      throw new UnimportableException("%s takes inputs of the network itself".formatted(node));
    }
    use(rows, node);
    return add(new ImportedStep.Activated(node, function, alpha), rows.shape());
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
    use(rows, node);
    return add(step, rows.shape());
  }

  // ---- classes --------------------------------------------------------------------------------

  private @Nullable ImportedStep last() {
    return steps.isEmpty() ? null : steps.get(steps.size() - 1);
  }

  /** Returns whether the last step gives the probabilities of classes. */
  boolean endsWithProbabilities() {
    return last() instanceof ImportedStep.BothClasses
        || (last() instanceof ImportedStep.Activated activated
            && activated.function() == ImportedStep.Function.SOFTMAX);
  }

  /** Returns the probabilities of two classes from that of the second one. */
  Rows bothClasses(String node, Rows second) throws UnimportableException {
    use(second, node);
    return add(new ImportedStep.BothClasses(node), 2);
  }

  /**
   * Returns the probabilities of two classes, if the first value is 1 minus the second one, and
   * that is a sigmoid; else null.
   */
  @Nullable Rows bothClasses(String node, Rows first, Rows second) throws UnimportableException {
    int count = steps.size();
    if (count < 2
        || first.step() != count
        || second.step() != count - 1
        || second.size() != 1
        || !(steps.get(count - 1) instanceof ImportedStep.Affine affine)
        || affine.scale()[0] != -1
        || affine.shift()[0] != 1
        || !(steps.get(count - 2) instanceof ImportedStep.Activated activated)
        || activated.function() != ImportedStep.Function.SIGMOID) {
      return null;
    }
    steps.remove(count - 1);
    return bothClasses(node, second);
  }

  /** Returns whether the last step is a product whose two outputs are each other's negative. */
  boolean opposite() {
    if (!(last() instanceof ImportedStep.Linear linear) || linear.outputs() != 2) {
      return false;
    }
    boolean opposite = linear.bias()[0] == -linear.bias()[1];
    for (int i = 0; i < linear.inputs(); i++) {
      opposite &= linear.weights()[2 * i] == -linear.weights()[2 * i + 1];
    }
    return opposite;
  }

  /**
   * Returns the probabilities of two classes whose sums are each other's negative, and whose
   * probabilities are a sigmoid of each: the softmax of half of them.
   */
  Rows halved(String node, Rows sums) throws UnimportableException {
    double[] half = {0.5, 0.5};
    return activated(
        node, affine(node, sums, half, new double[2]), ImportedStep.Function.SOFTMAX, 0);
  }

  // ---- images ---------------------------------------------------------------------------------

  Rows convolved(OnnxFile.Node node, Rows rows, Constant weights, @Nullable Constant bias)
      throws UnimportableException {
    long[] shape = weights.shape();
    String label = node.label();
    if (shape.length != 4 || rows.shape().length != 3 || shape[1] != rows.shape()[0]) {
      throw new UnimportableException(
          "%s takes images of %s, and has weights of shape %s; only convolutions over two dimensions without groups are known"
              .formatted(label, Arrays.toString(rows.shape()), Arrays.toString(shape)));
    }
    if (node.integer("group", 1) != 1) {
      throw new UnimportableException(label + " has groups; known are convolutions without");
    }
    int filters = (int) shape[0];
    ImportedStep.Frame frame = OnnxFrames.of(node, rows.shape(), (int) shape[2], (int) shape[3]);
    double[] sum = bias == null ? new double[filters] : bias.stretched(new long[] {filters}, label);
    use(rows, label);
    return add(
        new ImportedStep.Convolved(
            label, filters, finite(label, weights.numbers()), finite(label, sum), frame),
        filters,
        frame.outputHeight(),
        frame.outputWidth());
  }

  Rows pooled(OnnxFile.Node node, Rows rows) throws UnimportableException {
    long[] window = node.integers("kernel_shape");
    if (window == null || window.length != 2 || rows.shape().length != 3 || rows.isInput()) {
      throw new UnimportableException(
          node.label() + " must pool images over two dimensions, after a convolution");
    }
    ImportedStep.Frame frame = OnnxFrames.of(node, rows.shape(), (int) window[0], (int) window[1]);
    use(rows, node.label());
    return add(
        new ImportedStep.Pooled(
            node.label(),
            node.operator().equals("MaxPool"),
            node.integer("count_include_pad", 0) != 0,
            frame),
        frame.channels(),
        frame.outputHeight(),
        frame.outputWidth());
  }

  /** Returns whether a value is what an LSTM gives, and has more than one step. */
  boolean isSeries(Rows rows) {
    return !rows.isInput()
        && rows.shape().length > 1
        && steps.get(rows.step() - 1) instanceof ImportedStep.Recurrent;
  }

  // ---- time series ----------------------------------------------------------------------------

  /**
   * Adds an LSTM.
   *
   * @param series shape [size, steps]
   * @return shape [units, steps]
   */
  Rows recurrent(ImportedStep.Recurrent step, Rows series) throws UnimportableException {
    use(series, step.node());
    return add(step, step.units(), step.steps());
  }

  /**
   * Returns the network.
   *
   * @param classes for each class of the application its place among the outputs
   */
  ImportedNetwork network(int[] classes) throws UnimportableException {
    Rows first = input;
    if (first == null || steps.isEmpty()) {
      throw new UnimportableException("it has no layers");
    }
    return new ImportedNetwork(
        first.element(), first.scale(), first.shift(), steps, IntStream.of(classes).toArray());
  }
}
