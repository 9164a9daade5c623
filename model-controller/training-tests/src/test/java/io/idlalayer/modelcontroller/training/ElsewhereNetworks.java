package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.Gelu;
import io.idlalayer.modelloader.network.HardSigmoid;
import io.idlalayer.modelloader.network.HardSwish;
import io.idlalayer.modelloader.network.LayerNormalization;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PReLULayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationLReLU;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** The applications that fit to the files of other programs, by the names of the files. */
final class ElsewhereNetworks {
  private static final int CLASSES = 3;

  private ElsewhereNetworks() {}

  /** Returns whether a file has tables that are imported. */
  static boolean hasTables(String file) {
    return file.contains("embedding") && !file.startsWith("embedding_bag");
  }

  /**
   * Returns the application for a file.
   *
   * @param network name of the file up to its first dot
   */
  static ModelSpec spec(String network) {
    return switch (network) {
      case "mlp_relu", "mlp_softmax", "mlp_logsoftmax", "mlp_batchnorm", "mlp_scaled" ->
          mlp(4, CLASSES, 8, 6);
      case "mlp_double", "mlp_half" -> mlp(4, CLASSES, 8, 6);
      case "mlp_binary", "mlp_binary_logit", "keras_binary" -> mlp(4, 2, 8, 6);
      case "mlp_target", "mlp_target_squeezed", "keras_target" -> mlp(4, 1, 8, 6);
      case "mlp_tanh" -> activated(Activation.TANH);
      case "mlp_sigmoid" -> activated(Activation.SIGMOID);
      case "mlp_elu" -> activated(Activation.ELU);
      case "mlp_leaky" -> leaky();
      case "mlp_silu" -> silu();
      case "mlp_batchnorm_first" -> mlp(4, CLASSES, 8);
      case "mlp_nobias" -> withoutBias();
      case "mlp_gelu" -> function(new Gelu());
      case "mlp_gelu_tanh" -> function(new Gelu("tanh"));
      case "mlp_hardswish" -> function(new HardSwish());
      case "mlp_hardsigmoid" -> function(new HardSigmoid(1.0 / 6));
      case "mlp_relu6" -> activated(Activation.RELU6);
      case "cnn_gelu" -> globalGelu();
      case "mlp_swish" -> activated(Activation.SWISH);
      case "mlp_mish" -> activated(Activation.MISH);
      case "mlp_selu" -> activated(Activation.SELU);
      case "mlp_softplus" -> activated(Activation.SOFTPLUS);
      case "mlp_softsign" -> activated(Activation.SOFTSIGN);
      case "mlp_prelu" -> rectified(new PReLULayer.Builder().inputShape(8).sharedAxes(1).build());
      case "mlp_layernorm", "mlp_layernorm_plain" -> normalized();
      case "mlp_layernorm_first" -> normalizedInputs();
      case "mlp_block" -> block();
      case "keras_gelu" -> function(new Gelu());
      case "keras_gelu_tanh" -> function(new Gelu("tanh"));
      case "mlp_skip" -> skip();
      case "mlp_skip_input" -> skipInput();
      case "two_inputs" -> named(new ModelSpec.Network.Mlp(List.of(8)), true);
      case "two_towers", "keras_two_towers" -> towers();
      case "keras_dense", "keras_dropout", "keras_normalization" -> mlp(4, CLASSES, 8, 6);
      case "keras_batchnorm" -> mlp(4, CLASSES, 8);
      case "sklearn_classifier" -> mlp(4, CLASSES, 8, 6);
      case "sklearn_multinomial" -> mlp(4, CLASSES);
      case "sklearn_binary" -> mlp(4, 2, 8);
      case "sklearn_logistic" -> mlp(4, 2);
      case "sklearn_regressor" -> mlp(4, 1, 8);
      case "cnn_lenet" -> lenet();
      case "cnn_lenet_view", "cnn_lenet_viewm1" -> small();
      case "cnn_stride" -> stride();
      case "cnn_resnet" -> resnet();
      case "cnn_vgg" -> vgg();
      case "cnn_vgg_normalized", "cnn_vgg_fused" -> normalizedImages();
      case "cnn_groups" -> spec(32, CLASSES, new ModelSpec.Network.Mlp(List.of(8)), true);
      case "cnn_gap", "cnn_mean", "cnn_dilation" -> global();
      case "cnn_flat_input" -> flatInput();
      case "cnn_1d" -> line(false);
      case "cnn_1d_gap" -> line(true);
      case "cnn_adaptive2" ->
          images(1, convolution(4, 3, 1, 1, Activation.RELU), pooling(PoolingType.AVG, 4));
      case "cnn_ceil" -> ceiling();
      case "keras_cnn", "keras_cnn_first", "keras_cnn_rescaled" -> kerasImages();
      case "keras_cnn_same" -> kerasSame();
      case "lstm", "lstm_h", "keras_lstm" -> series(5);
      case "lstm_two" -> series(5, 5);
      case "lstm_bi", "gru", "keras_gru" -> series(5);
      default -> mlp(4, CLASSES, 8);
    };
  }

  static List<Sample> samples(ModelSpec spec, int count) {
    int width = spec.schema().denseWidth();
    SplittableRandom random = new SplittableRandom(7);
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double[] x = random.doubles(width, -2, 2).toArray();
      double label = spec.outputWidth() == 1 ? x[0] : (x[0] > 0 ? 1 : 0);
      samples.add(new Sample("s" + i, x, new int[0], label));
    }
    return samples;
  }

  private static SampleSchema.Label label(int outputs) {
    List<String> classes = IntStream.range(0, outputs).mapToObj(i -> "c" + i).toList();
    return outputs == 1
        ? new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of())
        : new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, classes);
  }

  private static ModelSpec spec(
      int inputs, int outputs, ModelSpec.Network network, boolean standardize) {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", inputs, 1)),
            List.of(),
            label(outputs),
            null);
    return new ModelSpec(schema, network, StartFiles.FIT, standardize);
  }

  private static ModelSpec mlp(int inputs, int outputs, int... hidden) {
    List<Integer> widths = IntStream.of(hidden).boxed().toList();
    return spec(inputs, outputs, new ModelSpec.Network.Mlp(widths), true);
  }

  /** Two features, of one number and of three. */
  private static ModelSpec named(ModelSpec.Network network, boolean standardize) {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(
                new SampleSchema.DenseFeature("a", 1, 1), new SampleSchema.DenseFeature("b", 3, 1)),
            List.of(),
            label(CLASSES),
            null);
    return new ModelSpec(schema, network, StartFiles.FIT, standardize);
  }

  // ---- graphs ---------------------------------------------------------------------------------

  private static GraphBuilder graph(InputType input) {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Sgd(0.01))
        .activation(Activation.IDENTITY)
        .graphBuilder()
        .addInputs("in")
        .setInputTypes(input);
  }

  private static Layer dense(int outputs, Activation activation) {
    return new DenseLayer.Builder().nOut(outputs).activation(activation).build();
  }

  private static FeedForwardLayer output(int outputs) {
    return new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
        .nOut(outputs)
        .activation(Activation.SOFTMAX)
        .build();
  }

  private static ModelSpec.Network network(GraphBuilder graph) {
    return new ModelSpec.Network.Dl4jJson(graph.setOutputs("out").build().toJson());
  }

  /** A graph in which each layer takes what the one before gives. */
  private static ModelSpec.Network sequence(InputType input, int outputs, Layer... layers) {
    GraphBuilder graph = graph(input);
    String source = "in";
    for (int i = 0; i < layers.length; i++) {
      graph.addLayer("l" + i, layers[i], source);
      source = "l" + i;
    }
    return network(graph.addLayer("out", output(outputs), source));
  }

  private static ModelSpec activated(Activation activation) {
    ModelSpec.Network network = sequence(InputType.feedForward(4), CLASSES, dense(8, activation));
    return spec(4, CLASSES, network, true);
  }

  private static ModelSpec leaky() {
    return function(new ActivationLReLU(0.1));
  }

  /** A network of the application that has one hidden layer with this activation. */
  static ModelSpec function(IActivation activation) {
    Layer hidden = new DenseLayer.Builder().nOut(8).activation(activation).build();
    return spec(4, CLASSES, sequence(InputType.feedForward(4), CLASSES, hidden), true);
  }

  /** A network of the application that has one hidden layer, and learned slopes behind it. */
  static ModelSpec rectified(PReLULayer slopes) {
    Layer hidden = dense(8, Activation.IDENTITY);
    return spec(4, CLASSES, sequence(InputType.feedForward(4), CLASSES, hidden, slopes), true);
  }

  /** A network of the application that has one convolution, and learned slopes behind it. */
  static ModelSpec rectifiedImages(PReLULayer slopes) {
    return images(1, convolution(4, 3, 1, 1, Activation.IDENTITY), slopes);
  }

  private static ModelSpec normalized() {
    ModelSpec.Network network =
        sequence(
            InputType.feedForward(4),
            CLASSES,
            dense(8, Activation.IDENTITY),
            new LayerNormalization.Builder().build(),
            new ActivationLayer(Activation.RELU));
    return spec(4, CLASSES, network, true);
  }

  private static ModelSpec normalizedInputs() {
    ModelSpec.Network network =
        sequence(
            InputType.feedForward(4),
            CLASSES,
            new LayerNormalization.Builder().build(),
            dense(8, Activation.RELU));
    return spec(4, CLASSES, network, false);
  }

  /** Normalization, dense layers with GELU, a sum with what was before, and normalization. */
  private static ModelSpec block() {
    GraphBuilder graph =
        graph(InputType.feedForward(4))
            .addLayer("a", dense(8, Activation.IDENTITY), "in")
            .addLayer("n", new LayerNormalization.Builder().build(), "a")
            .addLayer("b", new DenseLayer.Builder().nOut(16).activation(new Gelu()).build(), "n")
            .addLayer("c", dense(8, Activation.IDENTITY), "b")
            .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "a", "c")
            .addLayer("m", new LayerNormalization.Builder().build(), "sum")
            .addLayer("out", output(CLASSES), "m");
    return spec(4, CLASSES, network(graph), true);
  }

  private static ModelSpec globalGelu() {
    Layer convolution =
        new ConvolutionLayer.Builder(3, 3).nOut(4).padding(1, 1).activation(new Gelu()).build();
    return images(1, convolution, new GlobalPoolingLayer.Builder(PoolingType.AVG).build());
  }

  private static ModelSpec withoutBias() {
    Layer hidden =
        new DenseLayer.Builder().nOut(8).activation(Activation.RELU).hasBias(false).build();
    return spec(4, CLASSES, sequence(InputType.feedForward(4), CLASSES, hidden), false);
  }

  private static ModelSpec silu() {
    GraphBuilder graph =
        graph(InputType.feedForward(4))
            .addLayer("a", dense(8, Activation.IDENTITY), "in")
            .addLayer("s", new ActivationLayer(Activation.SIGMOID), "a")
            .addVertex("p", new ElementWiseVertex(ElementWiseVertex.Op.Product), "a", "s")
            .addLayer("out", output(CLASSES), "p");
    return spec(4, CLASSES, network(graph), true);
  }

  private static ModelSpec skip() {
    GraphBuilder graph =
        graph(InputType.feedForward(4))
            .addLayer("a", dense(8, Activation.RELU), "in")
            .addLayer("b", dense(8, Activation.RELU), "a")
            .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "a", "b")
            .addLayer("out", output(CLASSES), "sum");
    return spec(4, CLASSES, network(graph), true);
  }

  private static ModelSpec skipInput() {
    GraphBuilder graph =
        graph(InputType.feedForward(4))
            .addLayer("a", dense(8, Activation.RELU), "in")
            .addVertex("all", new MergeVertex(), "a", "in")
            .addLayer("out", output(CLASSES), "all");
    return spec(4, CLASSES, network(graph), false);
  }

  private static ModelSpec towers() {
    GraphBuilder graph =
        graph(InputType.feedForward(4))
            .addVertex("a", new SubsetVertex(0, 0), "in")
            .addVertex("b", new SubsetVertex(1, 3), "in")
            .addLayer("l", dense(4, Activation.RELU), "a")
            .addLayer("m", dense(5, Activation.TANH), "b")
            .addVertex("all", new MergeVertex(), "l", "m")
            .addLayer("out", output(CLASSES), "all");
    return named(network(graph), false);
  }

  // ---- images ---------------------------------------------------------------------------------

  private static ConvolutionLayer convolution(
      int filters, int size, int stride, int padding, Activation activation) {
    return new ConvolutionLayer.Builder(size, size)
        .nOut(filters)
        .stride(stride, stride)
        .padding(padding, padding)
        .activation(activation)
        .build();
  }

  private static Layer pooling(PoolingType type, int size) {
    return new SubsamplingLayer.Builder(
            type == PoolingType.MAX
                ? SubsamplingLayer.PoolingType.MAX
                : SubsamplingLayer.PoolingType.AVG)
        .kernelSize(size, size)
        .stride(size, size)
        .build();
  }

  private static ModelSpec images(int channels, Layer... layers) {
    return spec(
        64 * channels,
        CLASSES,
        sequence(InputType.convolutionalFlat(8, 8, channels), CLASSES, layers),
        false);
  }

  private static ModelSpec lenet() {
    return images(
        1,
        convolution(3, 5, 1, 2, Activation.RELU),
        pooling(PoolingType.MAX, 2),
        convolution(4, 3, 1, 0, Activation.RELU),
        pooling(PoolingType.AVG, 2),
        dense(10, Activation.RELU));
  }

  /** A pooling before the activation. */
  private static ModelSpec small() {
    return images(
        1,
        convolution(3, 5, 1, 2, Activation.IDENTITY),
        pooling(PoolingType.MAX, 2),
        new ActivationLayer(Activation.RELU));
  }

  private static ModelSpec stride() {
    return images(1, convolution(4, 3, 2, 1, Activation.RELU));
  }

  private static ModelSpec flatInput() {
    return images(1, convolution(4, 3, 1, 1, Activation.RELU));
  }

  private static ModelSpec global() {
    return images(
        1,
        convolution(4, 3, 1, 1, Activation.RELU),
        new GlobalPoolingLayer.Builder(PoolingType.AVG).build());
  }

  /** The last windows of the pooling go beyond the image. */
  private static ModelSpec ceiling() {
    Layer pool =
        new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
            .kernelSize(3, 3)
            .stride(2, 2)
            .convolutionMode(ConvolutionMode.Same)
            .build();
    return images(1, convolution(4, 3, 1, 1, Activation.RELU), pool);
  }

  private static ModelSpec vgg() {
    return images(
        3,
        convolution(4, 3, 1, 1, Activation.RELU),
        convolution(4, 3, 1, 1, Activation.RELU),
        pooling(PoolingType.MAX, 2),
        convolution(6, 3, 1, 1, Activation.RELU),
        pooling(PoolingType.MAX, 2),
        dense(8, Activation.RELU));
  }

  /** The network has normalizations of its own, which an exporter leaves as they are. */
  private static ModelSpec normalizedImages() {
    return images(
        1,
        convolution(4, 3, 2, 1, Activation.IDENTITY),
        new BatchNormalization.Builder().eps(1e-5).build(),
        new ActivationLayer(Activation.RELU),
        dense(8, Activation.RELU));
  }

  private static ModelSpec resnet() {
    GraphBuilder graph =
        graph(InputType.convolutionalFlat(8, 8, 1))
            .addLayer("c0", convolution(4, 3, 1, 1, Activation.RELU), "in")
            .addLayer("c1", convolution(4, 3, 1, 1, Activation.RELU), "c0")
            .addLayer("c2", convolution(4, 3, 1, 1, Activation.IDENTITY), "c1")
            .addVertex("s2", new ElementWiseVertex(ElementWiseVertex.Op.Add), "c0", "c2")
            .addLayer("r2", new ActivationLayer(Activation.RELU), "s2")
            .addLayer("c3", convolution(6, 3, 2, 1, Activation.RELU), "r2")
            .addLayer("c4", convolution(6, 3, 1, 1, Activation.IDENTITY), "c3")
            .addLayer("d", convolution(6, 1, 2, 0, Activation.IDENTITY), "r2")
            .addVertex("s4", new ElementWiseVertex(ElementWiseVertex.Op.Add), "c4", "d")
            .addLayer("r4", new ActivationLayer(Activation.RELU), "s4")
            .addLayer("p", new GlobalPoolingLayer.Builder(PoolingType.AVG).build(), "r4")
            .addLayer("out", output(CLASSES), "p");
    return spec(64, CLASSES, network(graph), false);
  }

  /** Convolutions over one dimension are convolutions of images of one line. */
  private static ModelSpec line(boolean global) {
    Layer first =
        new ConvolutionLayer.Builder(1, 3)
            .nOut(4)
            .padding(0, 1)
            .activation(Activation.RELU)
            .build();
    Layer pool =
        new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
            .kernelSize(1, 2)
            .stride(1, 2)
            .build();
    Layer second = new ConvolutionLayer.Builder(1, 3).nOut(4).activation(Activation.RELU).build();
    Layer whole = new GlobalPoolingLayer.Builder(PoolingType.AVG).build();
    InputType input = InputType.convolutionalFlat(1, 12, 2);
    ModelSpec.Network network =
        global
            ? sequence(input, CLASSES, first, whole)
            : sequence(input, CLASSES, first, pool, second);
    return spec(24, CLASSES, network, false);
  }

  private static ModelSpec kerasImages() {
    return images(
        1,
        convolution(4, 3, 1, 0, Activation.RELU),
        pooling(PoolingType.MAX, 2),
        dense(8, Activation.RELU));
  }

  private static ModelSpec kerasSame() {
    Layer first =
        new ConvolutionLayer.Builder(3, 3)
            .nOut(4)
            .stride(2, 2)
            .convolutionMode(ConvolutionMode.Same)
            .activation(Activation.RELU)
            .build();
    return images(1, first, new GlobalPoolingLayer.Builder(PoolingType.AVG).build());
  }

  // ---- time series ----------------------------------------------------------------------------

  private static ModelSpec series(int... units) {
    GraphBuilder graph =
        new NeuralNetConfiguration.Builder()
            .seed(1)
            .updater(new Sgd(0.01))
            .graphBuilder()
            .addInputs("in")
            .addVertex("series", new ReshapeVertex(-1, 3, 4), "in");
    String source = "series";
    int width = 3;
    for (int i = 0; i < units.length; i++) {
      graph.addLayer(
          "lstm" + i,
          new LSTM.Builder().nIn(width).nOut(units[i]).activation(Activation.TANH).build(),
          source);
      source = "lstm" + i;
      width = units[i];
    }
    FeedForwardLayer last = output(2);
    last.setNIn(width);
    graph.addVertex("end", new LastTimeStepVertex("in"), source).addLayer("out", last, "end");
    return spec(12, 2, network(graph), false);
  }
}
