package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.StartFiles.FIT;
import static io.idlalayer.modelcontroller.training.StartFiles.WIDTH;
import static io.idlalayer.modelcontroller.training.StartFiles.mlp;
import static io.idlalayer.modelcontroller.training.StartFiles.pytorch;
import static io.idlalayer.modelcontroller.training.StartFiles.random;
import static io.idlalayer.modelcontroller.training.StartFiles.samples;
import static io.idlalayer.modelcontroller.training.StartFiles.spec;
import static io.idlalayer.modelcontroller.training.StartedNetworks.CLOSE;
import static io.idlalayer.modelcontroller.training.StartedNetworks.close;
import static io.idlalayer.modelcontroller.training.StartedNetworks.predict;
import static io.idlalayer.modelcontroller.training.StartedNetworks.trained;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** ONNX Runtime predicts from a file what the network predicts that begins with it. */
@ExtendWith(OnnxRuntime.class)
final class StartingNetworkTest {
  @TempDir Path folder;

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private static List<List<Sample>> batches(ModelSpec spec, int updates) {
    return IntStream.range(0, updates)
        .mapToObj(update -> samples(64, spec.outputWidth() == 1, 100 + update))
        .toList();
  }

  private static void returns(StartingNetwork start, ModelSpec spec) throws Exception {
    StartedNetworks.returns(start, spec, batches(spec, 3), samples(30, spec.outputWidth() == 1, 9));
  }

  // ---- what programs write --------------------------------------------------------------------

  @Test
  void read_linearLayersOfPyTorch_predictsAsOnnxRuntime() throws Exception {
    ModelSpec spec = mlp(List.of(8), "a", "b", "c");
    byte[] onnx = pytorch(3);
    StartingNetwork start = StartingNetwork.read(file("net.onnx", onnx), spec);
    List<Sample> samples = samples(50, false, 5);
    double[][] logits = OnnxRuntime.run(onnx, samples, "output");
    close(
        predict(start.artifact(), samples),
        Arrays.stream(logits).map(StartedNetworks::softmax).toArray(double[][]::new));
    assertThat(start.layers()).isEqualTo("3 inputs, dense 8 relu, output 3 softmax");
    returns(start, spec);
  }

  @Test
  void read_aTarget_predictsAsOnnxRuntimeAndStaysGood() throws Exception {
    ModelSpec spec = mlp(List.of(8));
    byte[] onnx = pytorch(1);
    StartingNetwork start = StartingNetwork.read(file("net.onnx", onnx), spec);
    List<Sample> samples = samples(50, true, 5);
    close(predict(start.artifact(), samples), OnnxRuntime.run(onnx, samples, "output"));
    returns(start, spec);
  }

  /** A scale that becomes known does not change what the network predicts. */
  @Test
  void train_withoutALearningRate_predictsAsBefore() throws Exception {
    for (boolean target : new boolean[] {false, true}) {
      ModelSpec plain = target ? mlp(List.of(8)) : mlp(List.of(8), "a", "b");
      ModelSpec spec =
          new ModelSpec(
              plain.schema(),
              plain.network(),
              new ModelSpec.Fit(16, 1, ModelSpec.Updater.SGD, 1e-30, 0),
              true);
      StartingNetwork start = StartingNetwork.read(file("net.onnx", pytorch(target ? 1 : 2)), spec);
      ModelArtifact trained = trained(start, spec, batches(spec, 4));
      List<Sample> samples = samples(50, target, 5);
      assertThat(FeatureScaler.decode(trained.file(ModelArtifact.SCALER_FILE)).linear(0).centre())
          .isCloseTo(20, within(2.0));
      close(predict(trained, samples), predict(start.artifact(), samples));
    }
  }

  /** Keras by tf2onnx: MatMul, Add, BatchNormalization behind the activation, one sigmoid. */
  private static byte[] keras() {
    return new OnnxBuilder()
        .operators(15)
        .input("dense_input", OnnxBuilder.FLOAT, -1, WIDTH)
        .output("dense_1", OnnxBuilder.FLOAT, -1, 1)
        .floats("w1", new long[] {WIDTH, 8}, random(8 * WIDTH, 1))
        .floats("b1", new long[] {8}, random(8, 2))
        .listedFloats("gamma", new long[] {8}, random(8, 5))
        .listedFloats("beta", new long[] {8}, random(8, 6))
        .listedFloats("mean", new long[] {8}, random(8, 7))
        .listedFloats("var", new long[] {8}, Arrays.stream(random(8, 8)).map(Math::abs).toArray())
        .floats("w2", new long[] {8, 1}, random(8, 3))
        .floats("b2", new long[] {1}, random(1, 4))
        .node("MatMul", List.of("dense_input", "w1"), "m1")
        .node("Add", List.of("m1", "b1"), "a1")
        .node("Relu", List.of("a1"), "r1")
        .node(
            "BatchNormalization",
            List.of("r1", "gamma", "beta", "mean", "var"),
            "n1",
            OnnxBuilder.number("epsilon", 0.001))
        .node("MatMul", List.of("n1", "w2"), "m2")
        .node("Add", List.of("m2", "b2"), "a2")
        .node("Sigmoid", List.of("a2"), "dense_1")
        .build("tf2onnx");
  }

  @Test
  void read_aSigmoidOfKeras_isTheSecondClass() throws Exception {
    ModelSpec spec = mlp(List.of(8), "no", "yes");
    byte[] onnx = keras();
    StartingNetwork start = StartingNetwork.read(file("net.onnx", onnx), spec);
    List<Sample> samples = samples(50, false, 5);
    double[][] second = OnnxRuntime.run(onnx, samples, "dense_1");
    double[][] found = predict(start.artifact(), samples);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i][1]).isCloseTo(second[i][0], CLOSE);
    }
    returns(start, spec);
  }

  /** PyTorch normalizes rows as series of one step, in older exporters. */
  @Test
  void read_aNormalizationOfSeriesOfOneStep_predictsAsOnnxRuntime() throws Exception {
    ModelSpec spec = mlp(List.of(8), "a", "b");
    double[] variance = Arrays.stream(random(8, 8)).map(Math::abs).toArray();
    byte[] onnx =
        new OnnxBuilder()
            .operators(11)
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("p", OnnxBuilder.FLOAT, -1, 2)
            .floats("w1", new long[] {8, WIDTH}, random(8 * WIDTH, 1))
            .floats("b1", new long[] {8}, random(8, 2))
            .listedFloats("gamma", new long[] {8}, random(8, 5))
            .listedFloats("beta", new long[] {8}, random(8, 6))
            .listedFloats("mean", new long[] {8}, random(8, 7))
            .listedFloats("var", new long[] {8}, variance)
            .floats("w2", new long[] {2, 8}, random(16, 3))
            .floats("b2", new long[] {2}, random(2, 4))
            .node("Gemm", List.of("x", "w1", "b1"), "h", OnnxBuilder.integer("transB", 1))
            .node("Unsqueeze", List.of("h"), "u", OnnxBuilder.integers("axes", 2))
            .node("BatchNormalization", List.of("u", "gamma", "beta", "mean", "var"), "n")
            .node("Squeeze", List.of("n"), "s", OnnxBuilder.integers("axes", 2))
            .node("Relu", List.of("s"), "r")
            .node("Gemm", List.of("r", "w2", "b2"), "o", OnnxBuilder.integer("transB", 1))
            .node("Softmax", List.of("o"), "p", OnnxBuilder.integer("axis", 1))
            .build("pytorch");
    StartingNetwork start = StartingNetwork.read(file("net.onnx", onnx), spec);
    List<Sample> samples = samples(50, false, 5);
    close(predict(start.artifact(), samples), OnnxRuntime.run(onnx, samples, "p"));
    returns(start, spec);
  }

  /** MLPClassifier of scikit-learn: Cast, labels beside, classes in the order of their names. */
  private static byte[] classifier(String... classes) {
    return new OnnxBuilder()
        .input("float_input", OnnxBuilder.FLOAT, -1, WIDTH)
        .output("output_label", OnnxBuilder.STRING, -1)
        .mapOutput("output_probability")
        .doubles("coefficient", new long[] {WIDTH, 8}, random(8 * WIDTH, 1))
        .doubles("intercepts", new long[] {1, 8}, random(8, 2))
        .doubles("coefficient1", new long[] {8, 1}, random(8, 3))
        .doubles("intercepts1", new long[] {1, 1}, random(1, 4))
        .doubles("unity", new long[] {}, 1)
        .strings("classes", classes)
        .longs("shape_tensor", -1)
        .node("Cast", List.of("float_input"), "cast_input", OnnxBuilder.integer("to", 11))
        .node("MatMul", List.of("cast_input", "coefficient"), "mul_result")
        .node("Add", List.of("mul_result", "intercepts"), "add_result")
        .node("Relu", List.of("add_result"), "next_activations")
        .node("MatMul", List.of("next_activations", "coefficient1"), "mul_result1")
        .node("Add", List.of("mul_result1", "intercepts1"), "add_result1")
        .node("Sigmoid", List.of("add_result1"), "out_activations_result")
        .node("Sub", List.of("unity", "out_activations_result"), "negative_class_proba")
        .node(
            "Concat",
            List.of("negative_class_proba", "out_activations_result"),
            "probabilities",
            OnnxBuilder.integer("axis", 1))
        .node("Cast", List.of("probabilities"), "cast_p", OnnxBuilder.integer("to", 1))
        .node("ArgMax", List.of("probabilities"), "argmax_output", OnnxBuilder.integer("axis", 1))
        .node(
            OnnxBuilder.LEARNING,
            "ArrayFeatureExtractor",
            List.of("classes", "argmax_output"),
            List.of("array_feature_extractor_result"))
        .node("Reshape", List.of("array_feature_extractor_result", "shape_tensor"), "output_label")
        .node(
            OnnxBuilder.LEARNING,
            "ZipMap",
            List.of("cast_p"),
            List.of("output_probability"),
            OnnxBuilder.texts("classlabels_strings", classes))
        .build("skl2onnx");
  }

  @Test
  void read_aClassifierOfScikitLearn_findsClassesByName() throws Exception {
    ModelSpec spec = mlp(List.of(8), "yes", "no");
    byte[] onnx = classifier("no", "yes");
    StartingNetwork start = StartingNetwork.read(file("net.onnx", onnx), spec);
    List<Sample> samples = samples(50, false, 5);
    double[][] found = predict(start.artifact(), samples);
    try (OrtSession session = OrtEnvironment.getEnvironment().createSession(onnx)) {
      for (int i = 0; i < found.length; i++) {
        double[] x = samples.get(i).dense();
        float[][] row = {{(float) x[0], (float) x[1], (float) x[2]}};
        try (OnnxTensor given = OnnxTensor.createTensor(OrtEnvironment.getEnvironment(), row);
            OrtSession.Result result = session.run(Map.of("float_input", given))) {
          String label = ((String[]) result.get(0).getValue())[0];
          assertThat(found[i][0] > 0.5 ? "yes" : "no").isEqualTo(label);
        }
      }
    }
    assertThatThrownBy(() -> StartingNetwork.read(file("b.onnx", classifier("nay", "yes")), spec))
        .hasMessageContaining("its classes are nay, yes")
        .hasMessageContaining("yes, no");
    returns(start, spec);
  }

  /**
   * LogisticRegression of scikit-learn behind a StandardScaler; a network without hidden layers.
   */
  @Test
  void read_aLinearClassifierBehindAScaler_predictsAsOnnxRuntime() throws Exception {
    double[] weights = random(WIDTH, 1);
    double[] both = new double[2 * WIDTH];
    for (int i = 0; i < WIDTH; i++) {
      both[i] = -weights[i];
      both[WIDTH + i] = weights[i];
    }
    OnnxBuilder builder =
        new OnnxBuilder()
            .input("X", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("label", OnnxBuilder.INT64, -1)
            .output("probabilities", OnnxBuilder.FLOAT, -1, 2)
            .node(
                OnnxBuilder.LEARNING,
                "Scaler",
                List.of("X"),
                List.of("scaled"),
                OnnxBuilder.numbers("offset", 20, 0, 10),
                OnnxBuilder.numbers("scale", 0.2, 12, 0.1))
            .node(
                OnnxBuilder.LEARNING,
                "LinearClassifier",
                List.of("scaled"),
                List.of("label", "probability_tensor"),
                OnnxBuilder.integers("classlabels_ints", 0, 1),
                OnnxBuilder.numbers("coefficients", both),
                OnnxBuilder.numbers("intercepts", -0.25, 0.25),
                OnnxBuilder.integer("multi_class", 1),
                OnnxBuilder.text("post_transform", "LOGISTIC"))
            .node(
                OnnxBuilder.LEARNING,
                "Normalizer",
                List.of("probability_tensor"),
                List.of("probabilities"),
                OnnxBuilder.text("norm", "L1"));
    byte[] onnx = builder.build("skl2onnx");
    ModelSpec spec = mlp(List.of(), "no", "yes");
    StartingNetwork start = StartingNetwork.read(file("net.onnx", onnx), spec);
    List<Sample> samples = samples(50, false, 5);
    close(predict(start.artifact(), samples), OnnxRuntime.run(onnx, samples, "probabilities"));
    returns(start, spec);
  }

  @Test
  void read_aLinearRegressor_predictsAsOnnxRuntime() throws Exception {
    byte[] onnx =
        new OnnxBuilder()
            .input("X", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("variable", OnnxBuilder.FLOAT, -1, 1)
            .node(
                OnnxBuilder.LEARNING,
                "LinearRegressor",
                List.of("X"),
                List.of("variable"),
                OnnxBuilder.numbers("coefficients", 3, -2, 0.5),
                OnnxBuilder.numbers("intercepts", 11))
            .build("skl2onnx");
    ModelSpec spec = mlp(List.of());
    StartingNetwork start = StartingNetwork.read(file("net.onnx", onnx), spec);
    List<Sample> samples = samples(50, true, 5);
    close(predict(start.artifact(), samples), OnnxRuntime.run(onnx, samples, "variable"));
    returns(start, spec);
  }

  /** Convolutions of PyTorch on images of one channel. */
  @Test
  void read_aConvolutionalNetwork_predictsAsOnnxRuntime() throws Exception {
    ModelSpec.Network network = new ModelSpec.Network.Cnn(6, 4, 1, List.of(2), 5);
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", 24, 1)),
            List.of(),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("a", "b")),
            null);
    ModelSpec spec = new ModelSpec(schema, network, FIT, false);
    byte[] onnx =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, 24)
            .output("p", OnnxBuilder.FLOAT, -1, 2)
            .longs("image", -1, 1, 6, 4)
            .floats("w", new long[] {2, 1, 5, 5}, random(50, 1))
            .floats("b", new long[] {2}, random(2, 2))
            .floats("wd", new long[] {5, 12}, random(60, 3))
            .floats("bd", new long[] {5}, random(5, 4))
            .floats("wo", new long[] {2, 5}, random(10, 5))
            .floats("bo", new long[] {2}, random(2, 6))
            .node("Reshape", List.of("x", "image"), "i")
            .node(
                "Conv",
                List.of("i", "w", "b"),
                "c",
                OnnxBuilder.integers("kernel_shape", 5, 5),
                OnnxBuilder.integers("pads", 2, 2, 2, 2),
                OnnxBuilder.integers("strides", 1, 1))
            .node("Relu", List.of("c"), "r")
            .node(
                "MaxPool",
                List.of("r"),
                "m",
                OnnxBuilder.integers("kernel_shape", 2, 2),
                OnnxBuilder.integers("strides", 2, 2))
            .node("Flatten", List.of("m"), "f")
            .node("Gemm", List.of("f", "wd", "bd"), "d", OnnxBuilder.integer("transB", 1))
            .node("Relu", List.of("d"), "dr")
            .node("Gemm", List.of("dr", "wo", "bo"), "o", OnnxBuilder.integer("transB", 1))
            .node("Softmax", List.of("o"), "p", OnnxBuilder.integer("axis", 1))
            .build("pytorch");
    StartingNetwork start = StartingNetwork.read(file("net.onnx", onnx), spec);
    SplittableRandom random = new SplittableRandom(3);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      double[] x = DoubleStream.generate(random::nextDouble).limit(24).toArray();
      samples.add(new Sample("s", x, new int[0], 0));
    }
    close(predict(start.artifact(), samples), OnnxRuntime.run(onnx, samples, "p"));
  }

  @Test
  void read_weightsOf16Bits_areThoseNumbers() throws Exception {
    byte[] onnx =
        new OnnxBuilder()
            .input("x", OnnxBuilder.FLOAT, -1, WIDTH)
            .output("y", OnnxBuilder.FLOAT, -1, 1)
            .halves("w16", new long[] {WIDTH, 1}, 0x3C00, 0xC000, 0x0001)
            .node("Cast", List.of("w16"), "w", OnnxBuilder.integer("to", 1))
            .node("MatMul", List.of("x", "w"), "y")
            .build("other");
    ModelSpec spec = mlp(List.of());
    StartingNetwork start = StartingNetwork.read(file("net.onnx", onnx), spec);
    List<Sample> samples = samples(20, true, 5);
    close(predict(start.artifact(), samples), OnnxRuntime.run(onnx, samples, "y"));
  }

  // ---- Deeplearning4j and iDlaLayer -----------------------------------------------------------

  private Path zip(int inputs, int hidden, Activation activation, @Nullable Double weight)
      throws IOException {
    MultiLayerConfiguration configuration =
        new NeuralNetConfiguration.Builder()
            .seed(7)
            .list()
            .layer(new DenseLayer.Builder().nOut(hidden).activation(activation).build())
            .layer(
                new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .nOut(2)
                    .activation(Activation.SOFTMAX)
                    .build())
            .setInputType(InputType.feedForward(inputs))
            .build();
    MultiLayerNetwork network = new MultiLayerNetwork(configuration);
    network.init();
    if (weight != null) {
      network.params().putScalar(0, weight);
    }
    Path file = folder.resolve("network.zip");
    network.save(file.toFile(), true);
    return file;
  }

  @Tag("natives")
  @Test
  void read_aZipOfDeeplearning4j_predictsAsThatNetwork() throws Exception {
    ModelSpec spec = mlp(List.of(8), "a", "b");
    Path file = zip(WIDTH, 8, Activation.RELU, null);
    StartingNetwork start = StartingNetwork.read(file, spec);
    List<Sample> samples = samples(20, false, 5);
    MultiLayerNetwork network = MultiLayerNetwork.load(file.toFile(), false);
    double[][] rows = samples.stream().map(Sample::dense).toArray(double[][]::new);
    double[][] expected =
        network
            .output(Nd4j.create(rows).castTo(org.nd4j.linalg.api.buffer.DataType.FLOAT))
            .toDoubleMatrix();
    close(predict(start.artifact(), samples), expected);
    returns(start, spec);
  }

  @Tag("natives")
  @Test
  void read_aZipOfAnotherNetwork_namesBoth() throws Exception {
    ModelSpec spec = mlp(List.of(8), "a", "b");
    Path other = zip(WIDTH, 9, Activation.RELU, null);
    assertThatThrownBy(() -> StartingNetwork.read(other, spec))
        .hasMessageContaining("network.zip: the file has 3 inputs, dense 9 relu")
        .hasMessageContaining("asks for 3 inputs, dense 8 relu");
    Path tanh = zip(WIDTH, 8, Activation.TANH, null);
    assertThatThrownBy(() -> StartingNetwork.read(tanh, spec)).hasMessageContaining("dense 8 tanh");
    Path wide = zip(5, 8, Activation.RELU, null);
    assertThatThrownBy(() -> StartingNetwork.read(wide, spec))
        .hasMessageContaining("takes rows of 5 numbers, and gets 3");
    Path broken = zip(WIDTH, 8, Activation.RELU, Double.NaN);
    assertThatThrownBy(() -> StartingNetwork.read(broken, spec))
        .hasMessageContaining("it has the weight NaN");
  }

  /** Several members, with bins: the version has all that they need. */
  @Test
  void read_aPublishedVersionOfSeveralMembers_predictsAsIt() throws Exception {
    ModelSpec spec = spec(new ModelSpec.Network.Mlp(List.of(6), 4), true, "a", "b");
    List<Sample> samples = samples(30, false, 5);
    ModelArtifact version;
    try (Trainer trainer =
        EngineChoice.of(EngineName.ONEDNN, spec, null, JavaKernels::new).trainer("app", false)) {
      List<TrainingRow> rows = new ArrayList<>();
      for (Sample each : samples) {
        rows.add(new TrainingRow(rows.size(), 0, each, Float.NaN, true));
      }
      version = trainer.train(new TrainingRequest(null, new TrainingBatch(1, rows), 1)).model();
    }
    for (Map.Entry<String, byte[]> each : version.files().entrySet()) {
      file(each.getKey(), each.getValue());
    }
    StartingNetwork start = StartingNetwork.read(folder.resolve(ModelArtifact.NETWORK_FILE), spec);
    close(predict(start.artifact(), samples), predict(version, samples));
    trained(start, spec, batches(spec, 2));
    assertThatThrownBy(
            () ->
                StartingNetwork.read(
                    folder.resolve(ModelArtifact.NETWORK_FILE), mlp(List.of(7), "a", "b")))
        .hasMessageContaining("members=4")
        .hasMessageContaining("members=1");
    assertThatThrownBy(() -> StartingNetwork.read(file("n.onnx", pytorch(2)), spec))
        .hasMessageContaining("several members");
  }

  private static ModelSpec named(List<SampleSchema.DenseFeature> dense, String... classes) {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            dense,
            List.of(new SampleSchema.CategoricalFeature("k", 4)),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of(classes)),
            null);
    return new ModelSpec(schema, new ModelSpec.Network.Mlp(List.of(6)), FIT, true);
  }

  /** Features, their factors and classes are known by name in a file of the product. */
  @Test
  void read_anOnnxFileOfIdlaLayer_findsFeaturesAndClassesByName() throws Exception {
    SampleSchema.DenseFeature tenth = new SampleSchema.DenseFeature("a", 1, 0.1);
    ModelSpec before =
        named(
            List.of(tenth, SampleSchema.DenseFeature.of("b"), SampleSchema.DenseFeature.of("c")),
            "n",
            "y");
    ModelSpec now =
        named(
            List.of(SampleSchema.DenseFeature.of("c"), tenth, SampleSchema.DenseFeature.of("b")),
            "y",
            "n");
    List<Sample> samples = new ArrayList<>();
    List<Sample> moved = new ArrayList<>();
    List<TrainingRow> rows = new ArrayList<>();
    for (Sample each : samples(60, false, 5)) {
      double[] x = each.dense();
      int[] category = {rows.size() % 4};
      samples.add(new Sample(each.id(), x, category, each.label()));
      moved.add(new Sample(each.id(), new double[] {x[2], x[0], x[1]}, category, 0));
      rows.add(new TrainingRow(rows.size(), 0, samples.get(rows.size()), Float.NaN, true));
    }
    ModelArtifact version;
    try (Trainer trainer =
        EngineChoice.of(EngineName.ONEDNN, before, null, JavaKernels::new).trainer("app", false)) {
      version = trainer.train(new TrainingRequest(null, new TrainingBatch(1, rows), 1)).model();
    }
    Path file = file("own.onnx", OnnxModel.of(version, "app"));
    double[][] expected = predict(version, samples);
    double[][] found = predict(StartingNetwork.read(file, now).artifact(), moved);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i]).containsExactly(new double[] {expected[i][1], expected[i][0]}, CLOSE);
    }
    ModelSpec other =
        named(
            List.of(tenth, SampleSchema.DenseFeature.of("b"), SampleSchema.DenseFeature.of("d")),
            "n",
            "y");
    assertThatThrownBy(() -> StartingNetwork.read(file, other))
        .hasMessageContaining("it takes the number 'c', which the application does not have");
  }

  @Test
  void changed_saysWhetherTheFileIsAnother() throws Exception {
    ModelSpec spec = mlp(List.of(8), "a", "b", "c");
    Path file = file("net.onnx", pytorch(3));
    ModelStart start = StartingNetwork.read(file, spec).start();
    assertThat(start.sha256()).hasSize(64);
    assertThat(StartingNetwork.changed(file, start)).isFalse();
    byte[] other = pytorch(3);
    other[other.length - 1] ^= 1;
    Files.write(file, other);
    assertThat(StartingNetwork.changed(file, start)).isTrue();
    Files.delete(file);
    assertThat(StartingNetwork.changed(file, start)).isFalse();
  }
}
