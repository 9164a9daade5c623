package io.idlalayer.modelcontroller.training.placed;

import java.util.SplittableRandom;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.RnnOutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Small networks and mini-batches for them. */
final class Nets {
  static final int ROWS = 8;
  static final int CLASSES = 3;
  static final int SIDE = 10;
  static final int TIME = 6;

  /** A mini-batch; masks may be null. */
  record Batch(
      INDArray[] features, INDArray[] labels, INDArray[] featureMasks, INDArray[] labelMasks) {}

  private Nets() {}

  static NeuralNetConfiguration.Builder base(IUpdater updater) {
    return new NeuralNetConfiguration.Builder()
        .seed(7)
        .updater(updater)
        .weightInit(WeightInit.XAVIER);
  }

  private static MultiLayerNetwork of(MultiLayerConfiguration configuration) {
    MultiLayerNetwork network = new MultiLayerNetwork(configuration);
    network.init();
    return network;
  }

  static OutputLayer output() {
    return new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
        .activation(Activation.SOFTMAX)
        .nOut(CLASSES)
        .build();
  }

  static MultiLayerNetwork mlp(IUpdater updater, double l2) {
    return of(
        base(updater)
            .l2(l2)
            .list()
            .layer(new DenseLayer.Builder().nOut(24).activation(Activation.RELU).build())
            .layer(new DenseLayer.Builder().nOut(16).activation(Activation.TANH).build())
            .layer(output())
            .setInputType(InputType.feedForward(12))
            .build());
  }

  static MultiLayerNetwork mlp() {
    return mlp(new Adam(0.01), 0.001);
  }

  static MultiLayerNetwork nesterovs() {
    return mlp(new Nesterovs(0.05, 0.9), 0);
  }

  /** Convolution, maximum, convolution, average, dense; with or without the extras. */
  static MultiLayerNetwork cnn(boolean normalized, double retain) {
    NeuralNetConfiguration.ListBuilder list = base(new Adam(0.01)).l2(1e-4).list();
    list.layer(new ConvolutionLayer.Builder(3, 3).nOut(4).activation(Activation.RELU).build());
    if (normalized) {
      list.layer(new BatchNormalization());
    }
    list.layer(
            new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
                .kernelSize(2, 2)
                .stride(2, 2)
                .build())
        .layer(new ConvolutionLayer.Builder(3, 3).nOut(6).activation(Activation.RELU).build())
        .layer(
            new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.AVG)
                .kernelSize(2, 2)
                .stride(2, 2)
                .build());
    DenseLayer.Builder dense = new DenseLayer.Builder().nOut(16).activation(Activation.RELU);
    if (retain < 1) {
      dense.dropOut(retain);
    }
    return of(
        list.layer(dense.build())
            .layer(output())
            .setInputType(InputType.convolutional(SIDE, SIDE, 1))
            .build());
  }

  static MultiLayerNetwork lstm() {
    return of(
        base(new Adam(0.01))
            .list()
            .layer(new LSTM.Builder().nOut(10).activation(Activation.TANH).build())
            .layer(new LSTM.Builder().nOut(8).activation(Activation.TANH).build())
            .layer(
                new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .activation(Activation.SOFTMAX)
                    .nOut(CLASSES)
                    .build())
            .setInputType(InputType.recurrent(5))
            .build());
  }

  /** Two convolutions around which the input goes, normalised, added and merged with them. */
  static ComputationGraph residual() {
    return of(
        base(new Adam(0.01))
            .l2(1e-4)
            .graphBuilder()
            .addInputs("in")
            .setInputTypes(InputType.convolutional(SIDE, SIDE, 1))
            .addLayer("first", convolution(4), "in")
            .addLayer("norm", new BatchNormalization(), "first")
            .addLayer("relu", new ActivationLayer(Activation.RELU), "norm")
            .addLayer("second", convolution(4), "relu")
            .addVertex("add", new ElementWiseVertex(ElementWiseVertex.Op.Add), "first", "second")
            .addVertex("merge", new MergeVertex(), "add", "relu")
            .addLayer(
                "pool",
                new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
                    .kernelSize(2, 2)
                    .stride(2, 2)
                    .build(),
                "merge")
            .addLayer("dense", new DenseLayer.Builder().nOut(16).dropOut(0.7).build(), "pool")
            .addLayer("out", output(), "dense")
            .setOutputs("out")
            .build());
  }

  /** Two inputs, two outputs, shared layers, subsets, products. */
  static ComputationGraph forked() {
    return of(
        base(new Nesterovs(0.05, 0.9))
            .l2(1e-3)
            .graphBuilder()
            .addInputs("left", "right")
            .setInputTypes(InputType.feedForward(12), InputType.feedForward(12))
            .addLayer("a", dense(16), "left")
            .addLayer("b", dense(16), "right")
            .addVertex("product", new ElementWiseVertex(ElementWiseVertex.Op.Product), "a", "b")
            .addVertex("subset", new SubsetVertex(2, 9), "a")
            .addVertex("both", new MergeVertex(), "product", "subset", "b")
            .addLayer("c", dense(10), "both")
            .addLayer("one", output(), "c")
            .addLayer("two", output(), "both")
            .setOutputs("two", "one")
            .build());
  }

  private static ComputationGraph of(ComputationGraphConfiguration configuration) {
    ComputationGraph graph = new ComputationGraph(configuration);
    graph.init();
    return graph;
  }

  private static ConvolutionLayer convolution(int filters) {
    return new ConvolutionLayer.Builder(3, 3)
        .convolutionMode(ConvolutionMode.Same)
        .nOut(filters)
        .activation(Activation.IDENTITY)
        .build();
  }

  private static DenseLayer dense(int width) {
    return new DenseLayer.Builder().nOut(width).activation(Activation.TANH).build();
  }

  static Batch pairs(int step) {
    return new Batch(
        new INDArray[] {values(step, ROWS, 12), values(step + 100, ROWS, 12)},
        new INDArray[] {classes(step), classes(step + 100)},
        null,
        null);
  }

  static INDArray values(long seed, long... shape) {
    int length = 1;
    for (long extent : shape) {
      length *= (int) extent;
    }
    SplittableRandom random = new SplittableRandom(seed);
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = (float) (2 * random.nextDouble() - 1);
    }
    return Nd4j.create(values, shape, 'c');
  }

  static INDArray classes(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    float[] values = new float[ROWS * CLASSES];
    for (int row = 0; row < ROWS; row++) {
      values[row * CLASSES + random.nextInt(CLASSES)] = 1;
    }
    return Nd4j.create(values, new long[] {ROWS, CLASSES}, 'c');
  }

  static Batch flat(int step) {
    return batch(values(step, ROWS, 12), classes(step));
  }

  static Batch images(int step) {
    return batch(values(step, ROWS, 1, SIDE, SIDE), classes(step));
  }

  static Batch batch(INDArray features, INDArray labels) {
    return new Batch(new INDArray[] {features}, new INDArray[] {labels}, null, null);
  }

  /** Time series whose labels are masked after a while. */
  static Batch series(int step) {
    SplittableRandom random = new SplittableRandom(step);
    INDArray labels = Nd4j.zeros(ROWS, CLASSES, TIME);
    INDArray mask = Nd4j.zeros(ROWS, TIME);
    for (int row = 0; row < ROWS; row++) {
      int length = 2 + random.nextInt(TIME - 1);
      for (int time = 0; time < TIME; time++) {
        labels.putScalar(row, random.nextInt(CLASSES), time, 1);
        mask.putScalar(row, time, time < length ? 1 : 0);
      }
    }
    return new Batch(
        new INDArray[] {values(step, ROWS, 5, TIME)},
        new INDArray[] {labels},
        null,
        new INDArray[] {mask});
  }
}
