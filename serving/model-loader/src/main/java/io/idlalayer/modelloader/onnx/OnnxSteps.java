package io.idlalayer.modelloader.onnx;

import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.function.ActivationFormulas;
import io.idlalayer.modelruntime.network.ActivationFunction;
import io.idlalayer.modelruntime.network.ConvolutionStep;
import io.idlalayer.modelruntime.network.DenseStep;
import io.idlalayer.modelruntime.network.GlobalPoolingStep;
import io.idlalayer.modelruntime.network.LstmStep;
import io.idlalayer.modelruntime.network.MemberMean;
import io.idlalayer.modelruntime.network.NetworkStep;
import io.idlalayer.modelruntime.network.NormalizationStep;
import io.idlalayer.modelruntime.network.PlainNetwork;
import io.idlalayer.modelruntime.network.PoolingStep;
import io.idlalayer.modelruntime.network.RowShape;
import io.idlalayer.modelruntime.network.RowSteps;
import io.idlalayer.modelruntime.network.Window;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Writes the steps of a network as ONNX nodes (operators of set {@link OnnxModel#OPERATORS}).
 * Between two steps a value has the shape in which the first step returns it; {@link #as} converts
 * it to the shape that the next step takes.
 */
final class OnnxSteps {
  private static final int GATES = 4;

  private final OnnxGraph graph;
  private final List<Value> values = new ArrayList<>();

  /**
   * The output of a step in the ONNX graph.
   *
   * @param shape shape of a row
   */
  private record Value(String name, long... shape) {}

  OnnxSteps(OnnxGraph graph) {
    this.graph = graph;
  }

  /**
   * Adds the nodes of all steps of a network.
   *
   * @param input name of the network's input, of shape [rows, inputs]
   * @return name of the network's output, of shape [rows, outputs]; without context if some members
   *     take one
   * @throws UnsupportedModelException if a step cannot be written; the message names it
   */
  String add(PlainNetwork network, String input) throws UnsupportedModelException {
    values.add(new Value(input, network.inputs()));
    BitSet shares = shares(network);
    for (PlainNetwork.Node node : network.nodes()) {
      List<Value> sources = Arrays.stream(node.sources()).mapToObj(values::get).toList();
      values.add(node(node.step(), sources, shares.get(values.size())));
    }
    Value output = values.get(values.size() - 1);
    return output.shape().length == 1 ? output.name() : as(output, network.outputs());
  }

  /** Returns the places of the steps whose values are later divided by their sum. */
  private static BitSet shares(PlainNetwork network) {
    BitSet shares = new BitSet();
    for (PlainNetwork.Node node : network.nodes()) {
      if (node.step() instanceof MemberMean mean && mean.probabilities()) {
        Arrays.stream(node.sources()).forEach(shares::set);
      }
    }
    return shares;
  }

  /**
   * @param shares whether the values are divided by their sum, so that small ones count
   */
  private Value node(NetworkStep step, List<Value> sources, boolean shares)
      throws UnsupportedModelException {
    Value source = sources.get(0);
    if (step instanceof RowSteps.Activated activated
        && shares
        && activated.activation().kind() == ActivationFunction.Kind.SIGMOID) {
      return new Value(smallSigmoid(source.name()), source.shape());
    } else if (step instanceof DenseStep dense) {
      return dense(dense, source);
    } else if (step instanceof ConvolutionStep convolution) {
      return convolution(convolution, source);
    } else if (step instanceof PoolingStep pooling) {
      return pooling(pooling, source);
    } else if (step instanceof GlobalPoolingStep pooling) {
      return globalPooling(pooling, source);
    } else if (step instanceof NormalizationStep normalization) {
      return normalization(normalization, source);
    } else if (step instanceof RowSteps.LayerNormalized normalization) {
      return layerNormalization(normalization, source);
    } else if (step instanceof LstmStep memory) {
      return memory(memory, source);
    } else if (step instanceof RowSteps.Activated activated) {
      // A function of whole rows must see them as rows, whatever shape the step before gave them.
      return activated.activation().elementwise()
          ? new Value(activated(source.name(), activated.activation()), source.shape())
          : flat(activated(as(source, activated.width()), activated.activation()), step);
    } else if (step instanceof RowSteps.ParametricRelu rectified) {
      return rectified(rectified, source);
    } else if (step instanceof RowSteps.LastStep last) {
      String all = as(source, last.width(), last.steps());
      String number = graph.scalar(last.steps() - 1L);
      return flat(graph.node("Gather", List.of(all, number), OnnxGraph.integer("axis", 2)), step);
    } else if (step instanceof RowSteps.Columns columns) {
      String from = graph.longs(columns.from());
      String to = graph.longs(columns.from() + (long) columns.width());
      List<String> inputs = List.of(as(source, columns.inputs()), from, to, graph.longs(1));
      return flat(graph.node("Slice", inputs), step);
    } else if (step instanceof RowSteps.Merged merged) {
      List<String> rows = new ArrayList<>();
      for (int i = 0; i < sources.size(); i++) {
        rows.add(as(sources.get(i), merged.widths()[i]));
      }
      return flat(graph.node("Concat", rows, OnnxGraph.integer("axis", 1)), step);
    } else if (step instanceof RowSteps.Combined combined) {
      return combined(combined, sources);
    } else if (step instanceof RowSteps.Dots dots) {
      return dots(dots, source);
    } else if (step instanceof MemberMean mean) {
      return mean(mean, source);
    }
    throw new IllegalStateException("unknown step " + step.getClass().getName());
  }

  private static Value flat(String name, NetworkStep step) {
    return new Value(name, step.width());
  }

  /**
   * Adds a node that gives a value another shape, if it has a different one, and returns its name.
   */
  private String as(Value value, long... shape) {
    if (Arrays.equals(value.shape(), shape)) {
      return value.name();
    }
    long[] sizes = new long[shape.length + 1];
    System.arraycopy(shape, 0, sizes, 1, shape.length);
    // A size of 0 is that of the input: the number of rows.
    return graph.node("Reshape", List.of(value.name(), graph.longs(sizes)));
  }

  private Value dense(DenseStep step, Value source) {
    String sums =
        graph.node(
            "Gemm",
            List.of(
                as(source, step.inputs()),
                graph.floats(step.weights(), step.inputs(), step.width()),
                graph.floats(step.bias(), step.width())));
    return flat(activated(sums, step.activation()), step);
  }

  private String activated(String values, ActivationFunction activation) {
    List<String> input = List.of(values);
    return switch (activation.kind()) {
      case IDENTITY -> values;
      case RELU -> graph.node("Relu", input);
      case LEAKY_RELU ->
          graph.node("LeakyRelu", input, OnnxGraph.number("alpha", activation.slope()));
      case ELU -> graph.node("Elu", input, OnnxGraph.number("alpha", activation.slope()));
      case SELU -> graph.node("Selu", input);
      case SOFTPLUS -> graph.node("Softplus", input);
      case SOFTSIGN -> graph.node("Softsign", input);
      case GELU -> gelu(values, graph.node("Erf", List.of(times(values, Math.sqrt(0.5)))));
      case GELU_TANH -> gelu(values, graph.node("Tanh", List.of(tanhArgument(values))));
      case SWISH -> graph.node("Mul", List.of(values, graph.node("Sigmoid", input)));
      case MISH ->
          graph.node(
              "Mul", List.of(values, graph.node("Tanh", List.of(graph.node("Softplus", input)))));
      case BOUNDED_RELU ->
          graph.node("Clip", List.of(values, number(0), number(activation.slope())));
      case THRESHOLDED_RELU ->
          graph.node("ThresholdedRelu", input, OnnxGraph.number("alpha", activation.slope()));
      case HARD_SIGMOID -> hardSigmoid(values, activation.slope());
      case HARD_SWISH ->
          graph.node(
              "Mul", List.of(values, hardSigmoid(values, ActivationFormulas.HARD_SWISH_SLOPE)));
      case TANH -> graph.node("Tanh", input);
      case SIGMOID -> graph.node("Sigmoid", input);
      case EXPONENTIAL -> graph.node("Exp", input);
      case SOFTMAX -> graph.node("Softmax", input, OnnxGraph.integer("axis", 1));
    };
  }

  /** Adds the nodes of x (1 + share) / 2, because the operator Gelu is of set 20. */
  private String gelu(String x, String share) {
    String more = graph.node("Add", List.of(share, number(1)));
    return times(graph.node("Mul", List.of(x, more)), 0.5);
  }

  /** Adds the nodes of the argument of the tangent, of the approximated GELU. */
  private String tanhArgument(String x) {
    String cube = graph.node("Mul", List.of(graph.node("Mul", List.of(x, x)), x));
    String sum = graph.node("Add", List.of(x, times(cube, 0.044715)));
    return times(sum, Math.sqrt(2 / Math.PI));
  }

  private String hardSigmoid(String values, double slope) {
    return graph.node(
        "HardSigmoid",
        List.of(values),
        OnnxGraph.number("alpha", slope),
        OnnxGraph.number("beta", 0.5));
  }

  private String times(String x, double factor) {
    return graph.node("Mul", List.of(x, number(factor)));
  }

  private String number(double value) {
    return graph.floats(new float[] {(float) value});
  }

  /**
   * Adds the nodes of a sigmoid whose small values are right to the last digits. The node {@code
   * Sigmoid} of ONNX Runtime is off by up to 2e-8, which is 0.2 % of 1e-5.
   */
  private String smallSigmoid(String values) {
    String negative = graph.node("Neg", List.of(values));
    String logarithm = graph.node("Neg", List.of(graph.node("Softplus", List.of(negative))));
    return graph.node("Exp", List.of(logarithm));
  }

  private String image(Value source, RowShape.Image image) {
    return as(source, image.channels(), image.height(), image.width());
  }

  private Value convolution(ConvolutionStep step, Value source) {
    Window window = step.window();
    int channels = window.in().channels();
    String sums =
        graph.node(
            "Conv",
            List.of(
                image(source, window.in()),
                graph.floats(
                    step.weights(), step.filters(), channels, window.height(), window.width()),
                graph.floats(step.bias(), step.filters())),
            kernel(window),
            strides(window),
            pads(window));
    return new Value(
        activated(sums, step.activation()), step.filters(), window.outHeight(), window.outWidth());
  }

  private static OnnxGraph.Attribute kernel(Window window) {
    return OnnxGraph.integers("kernel_shape", window.height(), window.width());
  }

  private static OnnxGraph.Attribute strides(Window window) {
    return OnnxGraph.integers("strides", window.strideHeight(), window.strideWidth());
  }

  /**
   * Returns the attribute with the lines and columns of padding around the image: above, left,
   * below, right.
   */
  private static OnnxGraph.Attribute pads(Window window) {
    return OnnxGraph.integers(
        "pads",
        Math.max(0, window.top()),
        Math.max(0, window.left()),
        Math.max(0, window.paddedHeight() - window.top() - window.in().height()),
        Math.max(0, window.paddedWidth() - window.left() - window.in().width()));
  }

  private Value pooling(PoolingStep step, Value source) {
    Window window = step.window();
    String image = image(source, window.in());
    if (window.top() < 0 || window.left() < 0) {
      // Such windows skip the first lines or columns.
      String from = graph.longs(Math.max(0, -window.top()), Math.max(0, -window.left()));
      String to = graph.longs(window.in().height(), window.in().width());
      image = graph.node("Slice", List.of(image, from, to, graph.longs(2, 3)));
    }
    List<String> input = List.of(image);
    String pooled =
        switch (step.kind()) {
          case MAX -> graph.node("MaxPool", input, kernel(window), strides(window), pads(window));
          case MEAN, MEAN_WITH_BORDER ->
              graph.node(
                  "AveragePool",
                  input,
                  kernel(window),
                  strides(window),
                  pads(window),
                  OnnxGraph.integer(
                      "count_include_pad", step.kind() == PoolingStep.Kind.MEAN ? 0 : 1));
        };
    return new Value(pooled, window.in().channels(), window.outHeight(), window.outWidth());
  }

  private Value globalPooling(GlobalPoolingStep step, Value source) {
    String channels = as(source, step.width(), step.pixels());
    return flat(
        graph.node(
            step.max() ? "ReduceMax" : "ReduceMean",
            List.of(channels),
            OnnxGraph.integers("axes", 2),
            OnnxGraph.integer("keepdims", 0)),
        step);
  }

  private Value normalization(NormalizationStep step, Value source) {
    int channels = step.channels();
    float[] ones = new float[channels];
    Arrays.fill(ones, 1);
    String normal =
        graph.node(
            "BatchNormalization",
            List.of(
                as(source, channels, step.pixels()),
                graph.floats(step.scales(), channels),
                graph.floats(step.shifts(), channels),
                graph.floats(step.means(), channels),
                graph.floats(ones, channels)),
            OnnxGraph.number("epsilon", 0));
    return new Value(normal, channels, step.pixels());
  }

  /** Adds the nodes of a layer normalization, because its operator is of set 17. */
  private Value layerNormalization(RowSteps.LayerNormalized step, Value source) {
    String rows = as(source, step.width());
    String distances = graph.node("Sub", List.of(rows, mean(rows)));
    String variances = mean(graph.node("Mul", List.of(distances, distances)));
    String sum = graph.node("Add", List.of(variances, number(step.epsilon())));
    String normal = graph.node("Div", List.of(distances, graph.node("Sqrt", List.of(sum))));
    String scaled = graph.node("Mul", List.of(normal, graph.floats(step.scales(), step.width())));
    return flat(
        graph.node("Add", List.of(scaled, graph.floats(step.shifts(), step.width()))), step);
  }

  private Value rectified(RowSteps.ParametricRelu step, Value source) {
    int slopes = step.slopes().length;
    int span = step.width() / slopes;
    return new Value(
        graph.node(
            "PRelu", List.of(as(source, slopes, span), graph.floats(step.slopes(), slopes, 1))),
        slopes,
        span);
  }

  /** Adds the node of the mean of each row, of shape [rows, 1]. */
  private String mean(String rows) {
    return graph.node("ReduceMean", List.of(rows), OnnxGraph.integers("axes", 1));
  }

  private Value combined(RowSteps.Combined step, List<Value> sources) {
    List<String> rows = sources.stream().map(source -> as(source, step.width())).toList();
    String result =
        switch (step.operation()) {
          case ADD -> graph.node("Sum", rows);
          case AVERAGE -> graph.node("Mean", rows);
          case MAX -> graph.node("Max", rows);
          case SUBTRACT -> graph.node("Sub", rows);
          case PRODUCT -> {
            String product = rows.get(0);
            for (String factor : rows.subList(1, rows.size())) {
              product = graph.node("Mul", List.of(product, factor));
            }
            yield product;
          }
        };
    return flat(result, step);
  }

  private Value dots(RowSteps.Dots step, Value source) {
    int vectors = step.vectors();
    String rows = as(source, vectors, step.dim());
    String columns = graph.node("Transpose", List.of(rows), OnnxGraph.integers("perm", 0, 2, 1));
    Value all = new Value(graph.node("MatMul", List.of(rows, columns)), vectors, vectors);
    long[] pairs = new long[step.width()];
    int at = 0;
    for (int a = 0; a < vectors; a++) {
      for (int b = a + 1; b < vectors; b++) {
        pairs[at++] = (long) a * vectors + b;
      }
    }
    String flat = as(all, (long) vectors * vectors);
    return flat(
        graph.node("Gather", List.of(flat, graph.longs(pairs)), OnnxGraph.integer("axis", 1)),
        step);
  }

  /** Adds the nodes of a mean; without context, so that only the members without one count. */
  private Value mean(MemberMean step, Value source) {
    String members = as(source, step.members(), step.outputs());
    if (step.takesContext()) {
      List<String> range =
          List.of(members, graph.longs(0), graph.longs(step.plain()), graph.longs(1));
      members = graph.node("Slice", range);
    }
    String means =
        graph.node(
            "ReduceMean",
            List.of(members),
            OnnxGraph.integers("axes", 1),
            OnnxGraph.integer("keepdims", 0));
    if (!step.probabilities()) {
      return new Value(means, step.outputs());
    }
    String positive =
        graph.node("Add", List.of(means, graph.floats(new float[] {MemberMean.LEAST}, 1)));
    String sums = graph.node("ReduceSum", List.of(positive, graph.longs(1)));
    return new Value(graph.node("Div", List.of(positive, sums)), step.outputs());
  }

  private Value memory(LstmStep step, Value source) throws UnsupportedModelException {
    int units = step.units();
    int size = step.in().size();
    int steps = step.in().steps();
    float[] weights = step.weights();
    float[] bias = new float[2 * GATES * units];
    System.arraycopy(gates(step.bias(), 0, 1, units), 0, bias, 0, GATES * units);
    String series =
        graph.node(
            "Transpose", List.of(as(source, size, steps)), OnnxGraph.integers("perm", 2, 0, 1));
    String activation = recurrent(step.activation());
    String all =
        graph.node(
            "LSTM",
            List.of(
                series,
                graph.floats(gates(weights, 0, size, units), 1, (long) GATES * units, size),
                graph.floats(
                    gates(weights, size * GATES * units, units, units),
                    1,
                    (long) GATES * units,
                    units),
                graph.floats(bias, 1, 2L * GATES * units)),
            OnnxGraph.integer("hidden_size", units),
            OnnxGraph.texts(
                "activations", List.of(recurrent(step.gates()), activation, activation)));
    String one = graph.node("Squeeze", List.of(all, graph.longs(1)));
    return new Value(
        graph.node("Transpose", List.of(one), OnnxGraph.integers("perm", 1, 2, 0)), units, steps);
  }

  private static String recurrent(ActivationFunction activation) throws UnsupportedModelException {
    return switch (activation.kind()) {
      case RELU -> "Relu";
      case TANH -> "Tanh";
      case SIGMOID -> "Sigmoid";
      default ->
          throw new UnsupportedModelException("an LSTM with activation " + activation.kind());
    };
  }

  /**
   * Returns the weights of gates in ONNX's order.
   *
   * @param weights shape [inputs, 4 * units] from a place on: the cell candidate, then the forget,
   *     output and input gates
   * @return shape [4 * units, inputs]: the input, output and forget gates, then the cell candidate
   */
  private static float[] gates(float[] weights, int from, int inputs, int units) {
    int[] order = {3, 2, 1, 0};
    float[] ordered = new float[GATES * units * inputs];
    for (int gate = 0; gate < GATES; gate++) {
      for (int unit = 0; unit < units; unit++) {
        for (int input = 0; input < inputs; input++) {
          ordered[(gate * units + unit) * inputs + input] =
              weights[from + input * GATES * units + order[gate] * units + unit];
        }
      }
    }
    return ordered;
  }
}
