package io.idlalayer.benchmarks.tensors;

import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.RnnOutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Networks whose layers stand in a row. */
final class StackedNets {
  static final int CLASSES = 10;
  static final int COLOURS = 3;
  static final int IMAGE = 64;
  static final int LSTM_STEPS = 16;
  static final int LSTM_INPUTS = 64;
  private static final int LSTM_WIDTH = 768;
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

  static OutputLayer output() {
    return new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
        .nOut(CLASSES)
        .activation(Activation.SOFTMAX)
        .build();
  }

  static InputType image(NetScale scale) {
    int side = scale.image(IMAGE);
    return InputType.convolutional(side, side, COLOURS);
  }

  private static MultiLayerNetwork built(
      NeuralNetConfiguration.ListBuilder layers, InputType input) {
    MultiLayerNetwork network = new MultiLayerNetwork(layers.setInputType(input).build());
    network.init();
    return network;
  }

  static MultiLayerNetwork vgg(NetScale scale) {
    NeuralNetConfiguration.ListBuilder layers = builder(momentum()).list();
    for (int width : new int[] {8, 16, 32}) {
      layers.layer(convolution(scale.of(width), 3, Activation.RELU));
      layers.layer(convolution(scale.of(width), 3, Activation.RELU));
      layers.layer(pool());
    }
    layers.layer(new DenseLayer.Builder().nOut(scale.of(128)).activation(Activation.RELU).build());
    return built(layers.layer(output()), image(scale));
  }

  static MultiLayerNetwork lstm(NetScale scale) {
    NeuralNetConfiguration.ListBuilder layers = builder(new Adam(RATE)).list();
    for (int i = 0; i < 2; i++) {
      layers.layer(
          new LSTM.Builder().nOut(scale.of(LSTM_WIDTH)).activation(Activation.TANH).build());
    }
    layers.layer(
        new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
            .nOut(CLASSES)
            .activation(Activation.SOFTMAX)
            .build());
    return built(layers, InputType.recurrent(LSTM_INPUTS, LSTM_STEPS));
  }

  static MultiLayerNetwork mlp(NetScale scale) {
    NeuralNetConfiguration.ListBuilder layers = builder(new Adam(RATE)).list();
    for (int i = 0; i < 3; i++) {
      layers.layer(
          new DenseLayer.Builder().nOut(scale.of(MLP_WIDTH)).activation(Activation.RELU).build());
    }
    return built(layers.layer(output()), InputType.feedForward(MLP_INPUTS));
  }
}
