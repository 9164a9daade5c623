package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.StartFiles.FIT;
import static io.idlalayer.modelcontroller.training.StartFiles.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/**
 * ONNX Runtime predicts from a file with LSTM layers what the network predicts that begins with it.
 */
@Tag("natives")
@ExtendWith(OnnxRuntime.class)
final class StartingSeriesTest {
  private static final int SIZE = 3;
  private static final int STEPS = 4;
  private static final int WIDTH = SIZE * STEPS;
  private static final int UNITS = 5;

  @TempDir Path folder;

  /** An application with one array of numbers, whose network has LSTM layers. */
  private static ModelSpec spec(Activation activation, boolean standardize, int... units) {
    return spec(SIZE, STEPS, activation, standardize, units);
  }

  private static ModelSpec spec(
      int size, int steps, Activation activation, boolean standardize, int... units) {
    GraphBuilder graph =
        new NeuralNetConfiguration.Builder()
            .seed(1)
            .updater(new Sgd(0.01))
            .graphBuilder()
            .addInputs("in")
            .addVertex("series", new ReshapeVertex(-1, size, steps), "in");
    String source = "series";
    int width = size;
    for (int i = 0; i < units.length; i++) {
      String name = "lstm" + i;
      graph.addLayer(
          name,
          new LSTM.Builder().nIn(width).nOut(units[i]).activation(activation).build(),
          source);
      source = name;
      width = units[i];
    }
    graph
        .addVertex("end", new LastTimeStepVertex("in"), source)
        .addLayer(
            "out",
            new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                .nIn(width)
                .nOut(2)
                .activation(Activation.SOFTMAX)
                .build(),
            "end")
        .setOutputs("out");
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", WIDTH, 1)),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("a", "b")),
            null);
    return new ModelSpec(
        schema, new ModelSpec.Network.Dl4jJson(graph.build().toJson()), FIT, standardize);
  }

  private static List<Sample> samples(int count) {
    SplittableRandom random = new SplittableRandom(3);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double[] x = DoubleStream.generate(() -> random.nextDouble(-3, 3)).limit(WIDTH).toArray();
      samples.add(new Sample("s" + i, x, new int[0], x[3] > 0 ? 1 : 0));
    }
    return samples;
  }

  private Path file(byte[] content) throws IOException {
    return Files.write(folder.resolve("net.onnx"), content);
  }

  private static OnnxBuilder weights(OnnxBuilder onnx, String name, int size, int units, int seed) {
    return onnx.floats(
            name + "_w", new long[] {1, 4L * units, size}, random(4 * units * size, seed))
        .floats(name + "_r", new long[] {1, 4L * units, units}, random(4 * units * units, seed + 1))
        .floats(name + "_b", new long[] {1, 8L * units}, random(8 * units, seed + 2));
  }

  /** Two layers of PyTorch, which makes the first states from the number of rows. */
  private static OnnxBuilder pytorch() {
    OnnxBuilder onnx =
        new OnnxBuilder()
            .operators(14)
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("output", OnnxBuilder.FLOAT, -1, 2)
            .longs("series", -1, SIZE, STEPS)
            .longs("one", 1)
            .longs("zero", 0)
            .longs("two", 2)
            .longs("units", UNITS)
            .scalar("second", 1)
            .scalar("last", -1)
            .floats("nothing", new long[] {}, 0)
            .floats("wo", new long[] {2, UNITS}, random(2 * UNITS, 9))
            .floats("bo", new long[] {2}, random(2, 10));
    weights(onnx, "l0", SIZE, UNITS, 20);
    weights(onnx, "l1", UNITS, UNITS, 30);
    return onnx.node("Reshape", List.of("x", "series"), "s")
        .node("Transpose", List.of("s"), "t", OnnxBuilder.integers("perm", 2, 0, 1))
        .node("Shape", List.of("t"), "sizes")
        .node("Gather", List.of("sizes", "second"), "rows", OnnxBuilder.integer("axis", 0))
        .node("Unsqueeze", List.of("rows", "zero"), "rows1")
        .node("Concat", List.of("two", "rows1", "units"), "state", OnnxBuilder.integer("axis", 0))
        .node("Expand", List.of("nothing", "state"), "h0")
        .node("ConstantOfShape", List.of("state"), "c0")
        .node("Slice", List.of("h0", "zero", "one", "zero"), "h00")
        .node("Slice", List.of("c0", "zero", "one", "zero"), "c00")
        .node("Slice", List.of("h0", "one", "two", "zero"), "h01")
        .node("Slice", List.of("c0", "one", "two", "zero"), "c01")
        .node(
            "",
            "LSTM",
            List.of("t", "l0_w", "l0_r", "l0_b", "", "h00", "c00"),
            List.of("y0", "y0_h", "y0_c"),
            OnnxBuilder.integer("hidden_size", UNITS))
        .node("Squeeze", List.of("y0", "one"), "q0")
        .node(
            "",
            "LSTM",
            List.of("q0", "l1_w", "l1_r", "l1_b", "", "h01", "c01"),
            List.of("y1", "y1_h", "y1_c"),
            OnnxBuilder.integer("hidden_size", UNITS))
        .node("Squeeze", List.of("y1", "one"), "q1")
        .node("Transpose", List.of("q1"), "b1", OnnxBuilder.integers("perm", 1, 0, 2))
        .node("Gather", List.of("b1", "last"), "g", OnnxBuilder.integer("axis", 1))
        .node("Gemm", List.of("g", "wo", "bo"), "output", OnnxBuilder.integer("transB", 1));
  }

  /** One layer of Keras, which gives its last outputs; numbers are scaled before it. */
  private static byte[] keras() {
    return new OnnxBuilder()
        .operators(13)
        .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
        .output("p", OnnxBuilder.FLOAT, -1, 2)
        .longs("series", -1, SIZE, STEPS)
        .longs("zero", 0)
        .longs("first", 1)
        .longs("units", UNITS)
        .floats("scale", new long[] {1, SIZE, 1}, 0.5, 0.25, 2)
        .floats("shift", new long[] {1, SIZE, 1}, 0.1, -0.2, 0.3)
        .floats("w", new long[] {1, 4L * UNITS, SIZE}, random(4 * UNITS * SIZE, 1))
        .floats("r", new long[] {1, 4L * UNITS, UNITS}, random(4 * UNITS * UNITS, 2))
        .floats("wt", new long[] {2, UNITS}, random(2 * UNITS, 3))
        .floats("bo", new long[] {2}, random(2, 4))
        .node("Reshape", List.of("x", "series"), "s")
        .node("Mul", List.of("s", "scale"), "m")
        .node("Sub", List.of("m", "shift"), "d")
        .node("Transpose", List.of("d"), "t", OnnxBuilder.integers("perm", 2, 0, 1))
        .node("Shape", List.of("x"), "n")
        .node("Slice", List.of("n", "zero", "first", "zero"), "n1")
        .node("Concat", List.of("n1", "units"), "n2", OnnxBuilder.integer("axis", 0))
        .node("ConstantOfShape", List.of("n2"), "i")
        .node("Unsqueeze", List.of("i", "zero"), "i1")
        .node(
            "",
            "LSTM",
            List.of("t", "w", "r", "", "", "i1", "i1"),
            List.of("", "h"),
            OnnxBuilder.integer("hidden_size", UNITS),
            OnnxBuilder.text("direction", "forward"),
            OnnxBuilder.texts("activations", "Sigmoid", "Relu", "Relu"))
        .node("Squeeze", List.of("h", "zero"), "q")
        .node("Transpose", List.of("wt"), "wo", OnnxBuilder.integers("perm", 1, 0))
        .node("MatMul", List.of("q", "wo"), "o")
        .node("Add", List.of("o", "bo"), "a")
        .node("Softmax", List.of("a"), "p")
        .build("tf2onnx");
  }

  @Test
  void read_layersOfPyTorch_predictAsOnnxRuntimeAndStayGood() throws Exception {
    ModelSpec spec = spec(Activation.TANH, false, UNITS, UNITS);
    byte[] onnx = pytorch().build("pytorch");
    StartingNetwork start = StartingNetwork.read(file(onnx), spec);
    assertThat(start.layers())
        .isEqualTo(
            "12 inputs, LSTM 5 over 4 steps of 3 numbers tanh, gates sigmoid,"
                + " LSTM 5 over 4 steps of 5 numbers tanh, gates sigmoid, last step, output 2 softmax");
    List<Sample> samples = samples(40);
    StartedNetworks.close(
        StartedNetworks.predict(start.artifact(), samples),
        Arrays.stream(OnnxRuntime.run(onnx, samples, "output"))
            .map(StartedNetworks::softmax)
            .toArray(double[][]::new));
    StartedNetworks.returns(start, spec, List.of(samples, samples), samples);
  }

  @Test
  void read_aLayerOfKeras_predictsAsOnnxRuntimeAndStaysGood() throws Exception {
    ModelSpec spec = spec(Activation.RELU, false, UNITS);
    predictsAsOnnxRuntime(keras(), spec);
  }

  /** A layer whose step at a place goes on to the output. */
  private static byte[] layer(int step, long[] order, List<String> more, byte[]... attributes) {
    List<String> inputs = new ArrayList<>(List.of("t", "l_w", "l_r", "l_b"));
    inputs.addAll(more);
    OnnxBuilder onnx =
        new OnnxBuilder()
            .operators(14)
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("output", OnnxBuilder.FLOAT, -1, 2)
            .longs("series", -1, SIZE, STEPS)
            .longs("one", 1)
            .scalar("step", step)
            .floats("ones", new long[] {1, 1, UNITS}, random(UNITS, 5))
            .floats("peepholes", new long[] {1, 3L * UNITS}, random(3 * UNITS, 6))
            .floats("wo", new long[] {2, UNITS}, random(2 * UNITS, 9));
    weights(onnx, "l", SIZE, UNITS, 20);
    return onnx.node("Reshape", List.of("x", "series"), "s")
        .node("Transpose", List.of("s"), "t", OnnxBuilder.integers("perm", order))
        .node("", "LSTM", inputs, List.of("y"), attributes)
        .node("Squeeze", List.of("y", "one"), "q")
        .node("Gather", List.of("q", "step"), "g", OnnxBuilder.integer("axis", 0))
        .node("Gemm", List.of("g", "wo"), "output", OnnxBuilder.integer("transB", 1))
        .build("pytorch");
  }

  /** Checks what a file predicts, before trainings and after them, and that it comes back. */
  private void predictsAsOnnxRuntime(byte[] onnx, ModelSpec spec) throws Exception {
    StartingNetwork start = StartingNetwork.read(file(onnx), spec);
    List<Sample> samples = samples(40);
    StartedNetworks.close(
        StartedNetworks.predict(start.artifact(), samples), OnnxRuntime.run(onnx, samples, "p"));
    StartedNetworks.returns(start, spec, List.of(samples, samples), samples);
  }

  private void assertRefused(String why, ModelSpec spec, byte[] onnx) throws IOException {
    Path file = file(onnx);
    assertThatThrownBy(() -> StartingNetwork.read(file, spec))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  @Test
  void read_otherSeries_areRefusedSayingWhy() throws Exception {
    ModelSpec spec = spec(Activation.TANH, false, UNITS);
    long[] order = {2, 0, 1};
    byte[] units = OnnxBuilder.integer("hidden_size", UNITS);
    assertThat(StartingNetwork.read(file(layer(-1, order, List.of(), units)), spec).layers())
        .endsWith("last step, output 2 softmax");
    assertRefused("the last step of a time series", spec, layer(0, order, List.of(), units));
    assertRefused("chooses step 4 of 4", spec, layer(4, order, List.of(), units));
    assertRefused("takes rows of", spec, layer(-1, new long[] {0, 2, 1}, List.of(), units));
    assertRefused(
        "weights of shape [1, 20, 3]", spec, layer(-1, new long[] {1, 0, 2}, List.of(), units));
    assertRefused(
        "in place of [1, 24, 3]",
        spec,
        layer(-1, order, List.of(), OnnxBuilder.integer("hidden_size", 6)));
    assertRefused(
        "one that goes forward",
        spec,
        layer(-1, order, List.of(), units, OnnxBuilder.text("direction", "reverse")));
    assertRefused(
        "one that goes forward",
        spec,
        layer(-1, order, List.of(), units, OnnxBuilder.number("clip", 3)));
    assertRefused(
        "known are Relu, Tanh, Sigmoid",
        spec,
        layer(
            -1,
            order,
            List.of(),
            units,
            OnnxBuilder.texts("activations", "HardSigmoid", "Tanh", "Tanh")));
    assertRefused(
        "different activations",
        spec,
        layer(
            -1,
            order,
            List.of(),
            units,
            OnnxBuilder.texts("activations", "Sigmoid", "Tanh", "Relu")));
    assertRefused(
        "has other activations",
        spec,
        layer(
            -1,
            order,
            List.of(),
            units,
            OnnxBuilder.texts("activations", "Sigmoid", "Relu", "Relu")));
    assertRefused(
        "the state 'ones', which is not zeros", spec, layer(-1, order, List.of("", "ones"), units));
    assertRefused("peepholes", spec, layer(-1, order, List.of("", "", "", "peepholes"), units));
    assertRefused(
        "takes 5 numbers in place of 6",
        spec(Activation.TANH, false, UNITS + 1),
        layer(-1, order, List.of(), units));
    assertRefused(
        "standardize: false",
        spec(Activation.TANH, true, UNITS),
        layer(-1, order, List.of(), units));
  }

  /** Steps after one another are another order than that of the application's numbers. */
  @Test
  void read_stepsFirst_isRefused() throws Exception {
    byte[] onnx =
        weights(
                new OnnxBuilder()
                    .operators(14)
                    .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
                    .output("output", OnnxBuilder.FLOAT, -1, 2)
                    .longs("series", -1, STEPS, SIZE)
                    .longs("zero", 0)
                    .floats("wo", new long[] {2, UNITS}, random(2 * UNITS, 9)),
                "l",
                SIZE,
                UNITS,
                20)
            .node("Reshape", List.of("x", "series"), "s")
            .node("Transpose", List.of("s"), "t", OnnxBuilder.integers("perm", 1, 0, 2))
            .node(
                "",
                "LSTM",
                List.of("t", "l_w", "l_r", "l_b"),
                List.of("", "h"),
                OnnxBuilder.integer("hidden_size", UNITS))
            .node("Squeeze", List.of("h", "zero"), "q")
            .node("Gemm", List.of("q", "wo"), "output", OnnxBuilder.integer("transB", 1))
            .build("pytorch");
    assertRefused(
        "takes time series in another order than the application's",
        spec(Activation.TANH, false, UNITS),
        onnx);
  }

  /** The last step by a slice and in a dimension of its own, of series with one value a step. */
  @Test
  void read_aSliceOfSeriesOfOneValue_predictsAsOnnxRuntime() throws Exception {
    ModelSpec spec = spec(1, WIDTH, Activation.TANH, false, UNITS);
    OnnxBuilder onnx =
        new OnnxBuilder()
            .operators(14)
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("p", OnnxBuilder.FLOAT, -1, 2)
            .longs("zero", 0)
            .longs("one", 1)
            .longs("two", 2)
            .longs("last", -1)
            .longs("end", Long.MAX_VALUE)
            .floats("wo", new long[] {2, UNITS}, random(2 * UNITS, 9));
    byte[] file =
        weights(onnx, "l", 1, UNITS, 20)
            .node("Unsqueeze", List.of("x", "two"), "s")
            .node("Transpose", List.of("s"), "t", OnnxBuilder.integers("perm", 1, 0, 2))
            .node(
                "",
                "LSTM",
                List.of("t", "l_w", "l_r", "l_b"),
                List.of("y"),
                OnnxBuilder.integer("hidden_size", UNITS))
            .node("Squeeze", List.of("y", "one"), "q")
            .node("Transpose", List.of("q"), "b", OnnxBuilder.integers("perm", 1, 0, 2))
            .node("Slice", List.of("b", "last", "end", "one"), "e")
            .node("Squeeze", List.of("e", "one"), "g")
            .node("Gemm", List.of("g", "wo"), "o", OnnxBuilder.integer("transB", 1))
            .node("Softmax", List.of("o"), "p")
            .build("pytorch");
    predictsAsOnnxRuntime(file, spec);
  }

  /** Series of one step: the last one is all that there is. */
  @Test
  void read_aSeriesOfOneStep_comesBack() throws Exception {
    ModelSpec spec = spec(WIDTH, 1, Activation.TANH, false, UNITS);
    OnnxBuilder onnx =
        new OnnxBuilder()
            .operators(14)
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("p", OnnxBuilder.FLOAT, -1, 2)
            .longs("zero", 0)
            .floats("wo", new long[] {2, UNITS}, random(2 * UNITS, 9));
    byte[] file =
        weights(onnx, "l", WIDTH, UNITS, 20)
            .node("Unsqueeze", List.of("x", "zero"), "t")
            .node(
                "",
                "LSTM",
                List.of("t", "l_w", "l_r", "l_b"),
                List.of("", "h"),
                OnnxBuilder.integer("hidden_size", UNITS))
            .node("Squeeze", List.of("h", "zero"), "q")
            .node("Gemm", List.of("q", "wo"), "o", OnnxBuilder.integer("transB", 1))
            .node("Softmax", List.of("o"), "p")
            .build("pytorch");
    predictsAsOnnxRuntime(file, spec);
  }

  /** An application that takes all steps has no place for the last one alone. */
  @Test
  void read_theLastStepWhereAllAreTaken_isRefused() throws Exception {
    ModelSpec all =
        new ModelSpec(
            spec(Activation.TANH, false, UNITS).schema(),
            new ModelSpec.Network.Dl4jJson(allSteps()),
            FIT,
            false);
    assertRefused(
        "takes 5 numbers in place of 20",
        all,
        layer(-1, new long[] {2, 0, 1}, List.of(), OnnxBuilder.integer("hidden_size", UNITS)));
  }

  private static String allSteps() {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Sgd(0.01))
        .graphBuilder()
        .addInputs("in")
        .addVertex("series", new ReshapeVertex(-1, SIZE, STEPS), "in")
        .addLayer(
            "lstm0",
            new LSTM.Builder().nIn(SIZE).nOut(UNITS).activation(Activation.TANH).build(),
            "series")
        .addVertex("all", new ReshapeVertex(-1, UNITS * STEPS), "lstm0")
        .addLayer(
            "out",
            new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                .nIn(UNITS * STEPS)
                .nOut(2)
                .activation(Activation.SOFTMAX)
                .build(),
            "all")
        .setOutputs("out")
        .build()
        .toJson();
  }
}
