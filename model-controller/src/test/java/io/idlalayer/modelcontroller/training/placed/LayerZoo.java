package io.idlalayer.modelcontroller.training.placed;

import static io.idlalayer.modelcontroller.training.placed.Nets.CLASSES;
import static io.idlalayer.modelcontroller.training.placed.Nets.ROWS;
import static io.idlalayer.modelcontroller.training.placed.Nets.SIDE;
import static io.idlalayer.modelcontroller.training.placed.Nets.TIME;
import static io.idlalayer.modelcontroller.training.placed.Nets.base;
import static io.idlalayer.modelcontroller.training.placed.Nets.output;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.deeplearning4j.nn.conf.GradientNormalization;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.constraint.MaxNormConstraint;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.Convolution1DLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Deconvolution2D;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.DropoutLayer;
import org.deeplearning4j.nn.conf.layers.EmbeddingLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.LSTM;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LocalResponseNormalization;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.PReLULayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.RnnOutputLayer;
import org.deeplearning4j.nn.conf.layers.SeparableConvolution2D;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.layers.Upsampling2D;
import org.deeplearning4j.nn.conf.layers.ZeroPaddingLayer;
import org.deeplearning4j.nn.conf.layers.recurrent.SimpleRnn;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.AMSGrad;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** One small network for each kind of layer and of setting. */
final class LayerZoo {
  /** A network and what it learns from. */
  record Specimen(MultiLayerNetwork network, IntFunction<Nets.Batch> batches) {}

  private LayerZoo() {}

  private static Specimen specimen(
      NeuralNetConfiguration.ListBuilder list, InputType input, IntFunction<Nets.Batch> batches) {
    MultiLayerNetwork network = new MultiLayerNetwork(list.setInputType(input).build());
    network.init();
    return new Specimen(network, batches);
  }

  private static NeuralNetConfiguration.ListBuilder list() {
    return base(new Adam(0.01)).l2(1e-3).list();
  }

  private static Specimen image(Layer... layers) {
    NeuralNetConfiguration.ListBuilder list =
        list().layer(new ConvolutionLayer.Builder(3, 3).nOut(3).build());
    for (Layer layer : layers) {
      list.layer(layer);
    }
    return specimen(list.layer(output()), InputType.convolutional(SIDE, SIDE, 1), Nets::images);
  }

  private static Specimen flat(Layer... layers) {
    NeuralNetConfiguration.ListBuilder list =
        list().layer(new DenseLayer.Builder().nOut(14).activation(Activation.TANH).build());
    for (Layer layer : layers) {
      list.layer(layer);
    }
    return specimen(list.layer(output()), InputType.feedForward(12), Nets::flat);
  }

  private static Specimen series(Layer layer, IntFunction<Nets.Batch> batches) {
    return specimen(
        list()
            .layer(layer)
            .layer(
                new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .activation(Activation.SOFTMAX)
                    .nOut(CLASSES)
                    .build()),
        InputType.recurrent(5),
        batches);
  }

  private static Nets.Batch maskedSeries(int step) {
    Nets.Batch batch = Nets.series(step);
    return new Nets.Batch(batch.features(), batch.labels(), batch.labelMasks(), batch.labelMasks());
  }

  private static Nets.Batch lastOfSeries(int step) {
    return new Nets.Batch(
        new INDArray[] {Nets.values(step, ROWS, 5, TIME)},
        new INDArray[] {Nets.classes(step)},
        Nets.series(step).labelMasks(),
        null);
  }

  private static Nets.Batch indexes(int step) {
    INDArray column = Nd4j.create(DataType.FLOAT, ROWS, 1);
    for (int row = 0; row < ROWS; row++) {
      column.putScalar(row, 0, (row * 7 + step) % 20);
    }
    return Nets.batch(column, Nets.classes(step));
  }

  private static Nets.Batch doubles(int step) {
    Nets.Batch batch = Nets.flat(step);
    return Nets.batch(
        batch.features()[0].castTo(DataType.DOUBLE), batch.labels()[0].castTo(DataType.DOUBLE));
  }

  static Map<String, Specimen> all() {
    Map<String, Specimen> all = new LinkedHashMap<>();
    all.put("activation", flat(new ActivationLayer(Activation.RELU)));
    all.put("softplus", flat(new ActivationLayer(Activation.SOFTPLUS)));
    all.put("dropout layer", flat(new DropoutLayer(0.6)));
    all.put("prelu", flat(new PReLULayer.Builder().inputShape(14).build()));
    all.put("norm of rows", flat(new BatchNormalization()));
    all.put(
        "output dropout",
        specimen(
            list()
                .layer(new DenseLayer.Builder().nOut(9).build())
                .layer(
                    new org.deeplearning4j.nn.conf.layers.OutputLayer.Builder(
                            LossFunctions.LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .nOut(CLASSES)
                        .dropOut(0.7)
                        .build()),
            InputType.feedForward(12),
            Nets::flat));
    all.put(
        "loss layer",
        specimen(
            list()
                .layer(
                    new DenseLayer.Builder().nOut(CLASSES).activation(Activation.IDENTITY).build())
                .layer(
                    new LossLayer.Builder(LossFunctions.LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .build()),
            InputType.feedForward(12),
            Nets::flat));
    all.put(
        "no workspaces",
        specimen(
            base(new Adam(0.01))
                .trainingWorkspaceMode(WorkspaceMode.NONE)
                .list()
                .layer(new DenseLayer.Builder().nOut(9).build())
                .layer(output()),
            InputType.feedForward(12),
            Nets::flat));
    all.put(
        "doubles",
        specimen(
            base(new Adam(0.01))
                .dataType(DataType.DOUBLE)
                .list()
                .layer(new DenseLayer.Builder().nOut(9).build())
                .layer(output()),
            InputType.feedForward(12),
            LayerZoo::doubles));
    all.put("settings", settings());
    all.put(
        "embedding",
        specimen(
            list().layer(new EmbeddingLayer.Builder().nIn(20).nOut(6).build()).layer(output()),
            InputType.feedForward(20),
            LayerZoo::indexes));
    all.put("separable", image(new SeparableConvolution2D.Builder(3, 3).nOut(4).build()));
    all.put("deconvolution", image(new Deconvolution2D.Builder(2, 2).nOut(2).build()));
    all.put("upsampling", image(new Upsampling2D.Builder(2).build()));
    all.put("padding", image(new ZeroPaddingLayer.Builder(1, 1).build()));
    all.put("response norm", image(new LocalResponseNormalization()));
    all.put("global pooling", image(new GlobalPoolingLayer(PoolingType.MAX)));
    all.put(
        "norm pooling",
        image(
            new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.PNORM)
                .pnorm(2)
                .kernelSize(2, 2)
                .stride(2, 2)
                .build()));
    all.put(
        "convolution dropout",
        image(new ConvolutionLayer.Builder(3, 3).nOut(3).dropOut(0.6).build()));
    all.put("masked lstm", series(new LSTM.Builder().nOut(7).build(), LayerZoo::maskedSeries));
    all.put("simple rnn", series(new SimpleRnn.Builder().nOut(7).build(), Nets::series));
    all.put(
        "convolution of series",
        series(new Convolution1DLayer.Builder(3).padding(1).nOut(7).build(), Nets::series));
    all.put(
        "pooled lstm",
        specimen(
            list()
                .layer(new LSTM.Builder().nOut(7).build())
                .layer(new GlobalPoolingLayer(PoolingType.AVG))
                .layer(output()),
            InputType.recurrent(5),
            LayerZoo::lastOfSeries));
    return all;
  }

  /** Updaters that differ within and between layers, normalised gradients, constraints. */
  private static Specimen settings() {
    return specimen(
        base(new Adam(0.01))
            .l1(1e-4)
            .list()
            .layer(new DenseLayer.Builder().nOut(11).biasUpdater(new Sgd(0.1)).build())
            .layer(
                new DenseLayer.Builder()
                    .nOut(10)
                    .gradientNormalization(GradientNormalization.ClipL2PerLayer)
                    .gradientNormalizationThreshold(0.1)
                    .build())
            .layer(new DenseLayer.Builder().nOut(9).updater(new AMSGrad(0.01)).build())
            .layer(
                new DenseLayer.Builder()
                    .nOut(8)
                    .updater(new Nesterovs(0.1, 0.9))
                    .weightDecay(0.01)
                    .gradientNormalization(GradientNormalization.RenormalizeL2PerParamType)
                    .constrainWeights(new MaxNormConstraint(0.9, 1))
                    .build())
            .layer(output()),
        InputType.feedForward(12),
        Nets::flat);
  }
}
