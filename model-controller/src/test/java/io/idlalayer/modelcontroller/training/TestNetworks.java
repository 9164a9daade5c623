package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelloader.artifact.ModelSpec;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Networks as users write them. */
final class TestNetworks {
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
  static GraphBuilder residual(SampleSchema schema, ModelSpec.Fit fit) {
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

  static ModelSpec.Network.Dl4jJson graph(GraphBuilder builder) {
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
}
