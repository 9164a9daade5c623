package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelloader.network.Gelu;
import io.idlalayer.modelloader.network.LayerNormalization;
import io.idlalayer.modelloader.network.PairwiseDots;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.DropoutLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PReLULayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Networks as users write them. */
public final class TestNetworks {
  private TestNetworks() {}

  static NeuralNetConfiguration.Builder builder(ModelSpec.Fit fit) {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(updater(fit))
        .l2(fit.l2())
        .activation(Activation.TANH);
  }

  static IUpdater updater(ModelSpec.Fit fit) {
    return switch (fit.updater()) {
      case SGD -> new Sgd(fit.learningRate());
      case NESTEROVS -> new Nesterovs(fit.learningRate(), 0.9);
      case ADAM -> new Adam(fit.learningRate());
    };
  }

  static DenseLayer dense(int inputs, int outputs) {
    return new DenseLayer.Builder().nIn(inputs).nOut(outputs).build();
  }

  static OutputLayer output(SampleSchema schema, int inputs) {
    boolean regression = schema.label().task() == Task.REGRESSION;
    return new OutputLayer.Builder(
            regression ? LossFunctions.LossFunction.MSE : LossFunctions.LossFunction.MCXENT)
        .nIn(inputs)
        .nOut(regression ? 1 : schema.label().classes().size())
        .activation(regression ? Activation.IDENTITY : Activation.SOFTMAX)
        .build();
  }

  /** Two dense layers. */
  static ModelSpec.Network.Dl4jJson stack(SampleSchema schema, ModelSpec.Fit fit) {
    return new ModelSpec.Network.Dl4jJson(
        builder(fit)
            .list()
            .layer(dense(schema.denseWidth(), 16))
            .layer(output(schema, 16))
            .build()
            .toJson());
  }

  /** A residual block, whose input goes around it. */
  public static GraphBuilder residual(SampleSchema schema, ModelSpec.Fit fit) {
    return joined(schema, fit, new ElementWiseVertex(ElementWiseVertex.Op.Add));
  }

  /**
   * Two layers, of which the second takes the outputs of the first, and a vertex that ends both.
   */
  static GraphBuilder joined(SampleSchema schema, ModelSpec.Fit fit, GraphVertex vertex) {
    String[] sources =
        vertex.minVertexInputs() == 1 ? new String[] {"block"} : new String[] {"first", "block"};
    return builder(fit)
        .graphBuilder()
        .addInputs("in")
        .addLayer("first", dense(schema.denseWidth(), 16), "in")
        .addLayer("block", dense(16, 16), "first")
        .addVertex("sum", vertex, sources)
        .addLayer("out", output(schema, 16), "sum")
        .setOutputs("out");
  }

  public static ModelSpec.Network.Dl4jJson graph(GraphBuilder builder) {
    return new ModelSpec.Network.Dl4jJson(builder.build().toJson());
  }

  /** A residual block of convolutions over images of 8 x 8. */
  static ModelSpec.Network.Dl4jJson convolutions(SampleSchema schema, ModelSpec.Fit fit) {
    return graph(
        builder(fit)
            .graphBuilder()
            .addInputs("image")
            .setInputTypes(InputType.convolutionalFlat(8, 8, 1))
            .addLayer("first", convolution(), "image")
            .addLayer("block", convolution(), "first")
            .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "first", "block")
            .addLayer("out", output(schema, 0), "sum")
            .setOutputs("out"));
  }

  private static ConvolutionLayer convolution() {
    return new ConvolutionLayer.Builder(3, 3)
        .nOut(4)
        .padding(1, 1)
        .activation(Activation.RELU)
        .build();
  }

  /** Networks that have, together, every kind of layer and vertex that the engine knows. */
  public static List<ModelSpec> ofEveryLayer() {
    return List.of(
        spec(2 * 8 * 8, images()),
        spec(6, rows()),
        spec(3 * 5, series(new LastTimeStepVertex("in"))),
        spec(6, parts()),
        spec(6, normalizedRows()),
        dlrm(Trainings.ADAM),
        wideAndDeep(Trainings.ADAM));
  }

  /** Over four dense values, a category of three, and three id features of dimension 4. */
  public static ModelSpec dlrm(ModelSpec.Fit fit) {
    return tables(new ModelSpec.Network.Dlrm(List.of(8), List.of(12, 6)), fit);
  }

  /** Returns a wide-and-deep network with tables. */
  public static ModelSpec wideAndDeep(ModelSpec.Fit fit) {
    return tables(new ModelSpec.Network.WideAndDeep(List.of(16, 8)), fit);
  }

  /** A network over the same features. */
  public static ModelSpec tables(ModelSpec.Network network, ModelSpec.Fit fit) {
    return tables(network, fit, Trainings.classes(4, 3).label(), List.of(4, 4));
  }

  /**
   * Returns a network with two tables; the first two id features share one.
   *
   * @param dims dimensions of the tables
   */
  static ModelSpec tables(
      ModelSpec.Network network, ModelSpec.Fit fit, SampleSchema.Label label, List<Integer> dims) {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", 4, 1)),
            List.of(new SampleSchema.CategoricalFeature("kind", 3)),
            List.of(
                new SampleSchema.IdFeature("user", 1),
                new SampleSchema.IdFeature("friends", 5),
                new SampleSchema.IdFeature("item", 1)),
            label,
            null);
    return new ModelSpec(schema, network, fit, false, embeddings(dims));
  }

  private static ModelSpec.Embeddings embeddings(List<Integer> dims) {
    return new ModelSpec.Embeddings(
        List.of(
            new ModelSpec.Table("users", dims.get(0)), new ModelSpec.Table("items", dims.get(1))),
        List.of(
            new ModelSpec.Use(0, IdPooling.SUM),
            new ModelSpec.Use(0, IdPooling.MEAN),
            new ModelSpec.Use(1, IdPooling.SUM)),
        new ModelSpec.RowFit(RowUpdater.SGD, 0.01, 0.01));
  }

  /** Parts of rows that overlap, of which some are not used, and a loss without a product. */
  static GraphBuilder parts() {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Adam(0.01))
        .activation(Activation.TANH)
        .graphBuilder()
        .addInputs("in")
        .setInputTypes(InputType.feedForward(6))
        .addVertex("head", new SubsetVertex(0, 2), "in")
        .addVertex("tail", new SubsetVertex(1, 4), "in")
        .addLayer("first", new DenseLayer.Builder().nOut(9).build(), "head")
        .addVertex("one", new SubsetVertex(0, 3), "first")
        .addVertex("two", new SubsetVertex(2, 5), "first")
        .addVertex("three", new SubsetVertex(3, 6), "first")
        .addVertex("dots", new PairwiseDots(2), "one", "two", "tail")
        .addLayer("narrow", new DenseLayer.Builder().nOut(3).build(), "dots")
        .addVertex("last", new SubsetVertex(1, 3), "three")
        .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "narrow", "last")
        .addLayer(
            "out",
            new LossLayer.Builder(LossFunctions.LossFunction.MCXENT)
                .activation(Activation.SOFTMAX)
                .build(),
            "sum")
        .setOutputs("out");
  }

  private static ModelSpec spec(int inputs, GraphBuilder graph) {
    return new ModelSpec(Trainings.classes(inputs, 3), graph(graph), Trainings.ADAM, false);
  }

  private static GraphBuilder images() {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Nesterovs(0.01, 0.9))
        .l2(0.01)
        .activation(Activation.TANH)
        .graphBuilder()
        .addInputs("in")
        .setInputTypes(InputType.convolutionalFlat(8, 8, 2))
        .addLayer("first", convolution(), "in")
        .addLayer("normalized", new BatchNormalization.Builder().build(), "first")
        .addLayer(
            "active",
            new ActivationLayer.Builder().activation(Activation.ELU).build(),
            "normalized")
        .addLayer("maximum", pooling(SubsamplingLayer.PoolingType.MAX), "active")
        .addLayer("mean", pooling(SubsamplingLayer.PoolingType.AVG), "active")
        .addVertex("merged", new MergeVertex(), "maximum", "mean")
        .addVertex(
            "product", new ElementWiseVertex(ElementWiseVertex.Op.Product), "maximum", "mean")
        .addLayer("narrow", convolution(), "merged")
        .addVertex("larger", new ElementWiseVertex(ElementWiseVertex.Op.Max), "narrow", "product")
        .addLayer("all", new GlobalPoolingLayer.Builder(PoolingType.AVG).build(), "larger")
        .addLayer("out", softmax(), "all")
        .setOutputs("out");
  }

  private static SubsamplingLayer pooling(SubsamplingLayer.PoolingType type) {
    return new SubsamplingLayer.Builder(type).kernelSize(2, 2).stride(2, 2).build();
  }

  private static GraphBuilder rows() {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Adam(0.01))
        .l1(0.01)
        .activation(Activation.SIGMOID)
        .gradientNormalization(GradientNormalization.ClipL2PerLayer)
        .graphBuilder()
        .addInputs("in")
        .setInputTypes(InputType.feedForward(6))
        .addLayer("dropped", new DropoutLayer.Builder(0.7).build(), "in")
        .addLayer("one", new DenseLayer.Builder().nOut(8).dropOut(0.6).build(), "dropped")
        .addLayer("other", new DenseLayer.Builder().nOut(8).hasBias(false).build(), "in")
        .addVertex("mean", new ElementWiseVertex(ElementWiseVertex.Op.Average), "one", "other")
        .addVertex(
            "difference", new ElementWiseVertex(ElementWiseVertex.Op.Subtract), "mean", "one")
        .addVertex(
            "sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "difference", "mean", "one")
        .addLayer("out", softmax(), "sum")
        .setOutputs("out");
  }

  /** Layer normalization, and activations whose outputs are a tensor of their own. */
  private static GraphBuilder normalizedRows() {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Adam(0.01))
        .graphBuilder()
        .addInputs("in")
        .setInputTypes(InputType.feedForward(6))
        .addLayer("gelu", new DenseLayer.Builder().nOut(8).activation(new Gelu()).build(), "in")
        .addLayer("one", new LayerNormalization.Builder().build(), "gelu")
        .addLayer(
            "swish", new DenseLayer.Builder().nOut(8).activation(Activation.SWISH).build(), "one")
        .addLayer("other", new LayerNormalization.Builder().build(), "swish")
        .addLayer(
            "tanh", new DenseLayer.Builder().nOut(8).activation(new Gelu("tanh")).build(), "other")
        .addLayer("mish", new ActivationLayer.Builder().activation(Activation.MISH).build(), "tanh")
        .addLayer("slopes", new PReLULayer.Builder().inputShape(8).build(), "mish")
        .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "slopes", "one")
        .addLayer("out", softmax(), "sum")
        .setOutputs("out");
  }

  private static GraphBuilder series(GraphVertex end) {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Sgd(0.01))
        .graphBuilder()
        .addInputs("in")
        .addVertex("series", new ReshapeVertex(-1, 3, 5), "in")
        .addLayer("first", new LSTM.Builder().nIn(3).nOut(4).build(), "series")
        .addLayer("second", new LSTM.Builder().nIn(4).nOut(4).build(), "first")
        .addVertex("end", end, "second")
        .addLayer(
            "out",
            new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                .nIn(4)
                .nOut(3)
                .activation(Activation.SOFTMAX)
                .build(),
            "end")
        .setOutputs("out");
  }

  /** A layer of long short-term memory, whose gradients are limited together, and two classes. */
  static ComputationGraphConfiguration limitedSeries(int inputs, int steps, int units) {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .updater(new Adam(1e-3))
        .gradientNormalization(GradientNormalization.ClipL2PerLayer)
        .gradientNormalizationThreshold(1)
        .graphBuilder()
        .addInputs("in")
        .addVertex("series", new ReshapeVertex(-1, inputs, steps), "in")
        .addLayer("lstm", new LSTM.Builder().nIn(inputs).nOut(units).build(), "series")
        .addVertex("end", new LastTimeStepVertex("in"), "lstm")
        .addLayer(
            "out",
            new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                .nIn(units)
                .nOut(2)
                .activation(Activation.SOFTMAX)
                .build(),
            "end")
        .setOutputs("out")
        .build();
  }

  private static OutputLayer softmax() {
    return new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
        .nOut(3)
        .activation(Activation.SOFTMAX)
        .build();
  }
}
