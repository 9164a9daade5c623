package io.idlalayer.benchmarks.tensors;

import java.util.List;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.rnn.LastTimeStepVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Configurations of networks whose layers form a chain. */
final class StackedNets {
  static final int CLASSES = 10;
  static final int COLOURS = 3;
  static final int IMAGE = 64;
  static final int LSTM_STEPS = 16;
  static final int LSTM_INPUTS = 64;
  private static final int LSTM_WIDTH = 768;
  private static final int DEEP_LSTM_WIDTH = 256;
  private static final int DEEP_LSTM_LAYERS = 12;

  /** Names of the first layers. */
  private static final List<String> NAMED = List.of("first", "second");

  static final int MLP_INPUTS = 784;
  private static final int MLP_WIDTH = 3072;
  private static final double RATE = 1e-3;
  private static final double MOMENTUM = 0.9;

  private StackedNets() {}

  static NeuralNetConfiguration.Builder builder(IUpdater updater) {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .dataType(DataType.FLOAT)
        .weightInit(WeightInit.XAVIER)
        .updater(updater);
  }

  static IUpdater momentum() {
    return new Nesterovs(RATE, MOMENTUM);
  }

  static ConvolutionLayer convolution(int width, int kernel, Activation activation) {
    return new ConvolutionLayer.Builder(kernel, kernel)
        .convolutionMode(ConvolutionMode.Same)
        .nOut(width)
        .activation(activation)
        .build();
  }

  static SubsamplingLayer pool() {
    return new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
        .kernelSize(2, 2)
        .stride(2, 2)
        .build();
  }

  /** Returns an output layer that takes as many inputs as the layer before it has outputs. */
  static OutputLayer output() {
    return output(0);
  }

  private static OutputLayer output(int inputs) {
    return new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
        .nIn(inputs)
        .nOut(CLASSES)
        .activation(Activation.SOFTMAX)
        .build();
  }

  static InputType image(NetScale scale) {
    int side = scale.image(IMAGE);
    return InputType.convolutionalFlat(side, side, COLOURS);
  }

  static String vgg(NetScale scale) {
    NeuralNetConfiguration.ListBuilder layers = builder(momentum()).list();
    for (int width : new int[] {8, 16, 32}) {
      layers.layer(convolution(scale.of(width), 3, Activation.RELU));
      layers.layer(convolution(scale.of(width), 3, Activation.RELU));
      layers.layer(pool());
    }
    layers.layer(new DenseLayer.Builder().nOut(scale.of(128)).activation(Activation.RELU).build());
    return layers.layer(output()).setInputType(image(scale)).build().toJson();
  }

  /** Returns a network of two recurrent layers whose last step goes to the output layer. */
  static String lstm(NetScale scale) {
    return lstm(scale.of(LSTM_WIDTH), 2);
  }

  /** Returns a network of twelve recurrent layers whose last step goes to the output layer. */
  static String deepLstm(NetScale scale) {
    return lstm(scale.of(DEEP_LSTM_WIDTH), scale.of(DEEP_LSTM_LAYERS));
  }

  private static String lstm(int width, int layers) {
    GraphBuilder graph =
        builder(new Adam(RATE))
            .graphBuilder()
            .addInputs("in")
            .addVertex("series", new ReshapeVertex(-1, LSTM_INPUTS, LSTM_STEPS), "in");
    String last = "series";
    for (int layer = 0; layer < layers; layer++) {
      String name = layer < NAMED.size() ? NAMED.get(layer) : "layer" + layer;
      graph.addLayer(name, recurrent(layer == 0 ? LSTM_INPUTS : width, width), last);
      last = name;
    }
    return graph
        .addVertex("end", new LastTimeStepVertex("in"), last)
        .addLayer("out", output(width), "end")
        .setOutputs("out")
        .build()
        .toJson();
  }

  private static LSTM recurrent(int inputs, int width) {
    return new LSTM.Builder().nIn(inputs).nOut(width).activation(Activation.TANH).build();
  }

  static String mlp(NetScale scale) {
    NeuralNetConfiguration.ListBuilder layers = builder(new Adam(RATE)).list();
    for (int i = 0; i < 3; i++) {
      layers.layer(
          new DenseLayer.Builder().nOut(scale.of(MLP_WIDTH)).activation(Activation.RELU).build());
    }
    return layers.layer(output()).setInputType(InputType.feedForward(MLP_INPUTS)).build().toJson();
  }
}
