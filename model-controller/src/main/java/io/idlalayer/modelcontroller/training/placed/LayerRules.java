package io.idlalayer.modelcontroller.training.placed;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.deeplearning4j.nn.conf.BackpropType;
import org.deeplearning4j.nn.conf.CacheMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.stepfunctions.NegativeGradientStepFunction;
import org.deeplearning4j.nn.layers.ActivationLayer;
import org.deeplearning4j.nn.layers.LossLayer;
import org.deeplearning4j.nn.layers.OutputLayer;
import org.deeplearning4j.nn.layers.convolution.ConvolutionLayer;
import org.deeplearning4j.nn.layers.convolution.ZeroPaddingLayer;
import org.deeplearning4j.nn.layers.convolution.subsampling.SubsamplingLayer;
import org.deeplearning4j.nn.layers.feedforward.dense.DenseLayer;
import org.deeplearning4j.nn.layers.normalization.BatchNormalization;
import org.deeplearning4j.nn.layers.pooling.GlobalPoolingLayer;
import org.deeplearning4j.nn.layers.recurrent.LSTM;
import org.deeplearning4j.nn.layers.recurrent.RnnOutputLayer;
import org.deeplearning4j.nn.layers.wrapper.BaseWrapperLayer;
import org.deeplearning4j.optimize.api.ConvexOptimizer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;

/** What is known of layers, and which networks can train in a placed memory. */
final class LayerRules {
  /** Layers that never write the array that they are given. */
  private static final Set<Class<?>> READERS =
      Set.of(
          ActivationLayer.class,
          BatchNormalization.class,
          ConvolutionLayer.class,
          DenseLayer.class,
          GlobalPoolingLayer.class,
          LSTM.class,
          LossLayer.class,
          OutputLayer.class,
          RnnOutputLayer.class,
          SubsamplingLayer.class,
          ZeroPaddingLayer.class);

  private LayerRules() {}

  /** What the whole network's configuration says. */
  record Training(
      NeuralNetConfiguration defaults,
      @Nullable BackpropType backprop,
      @Nullable CacheMode cache,
      DataType type,
      int listeners,
      @Nullable ConvexOptimizer optimizer) {}

  /**
   * @throws UnsupportedNetworkException if a network of these parts cannot train this way
   */
  static void check(Training training, Layer[] layers) {
    NeuralNetConfiguration defaults = training.defaults();
    refuse(
        !NativeArrays.supports(training.type()),
        "its type is " + training.type() + "; FLOAT and DOUBLE can be placed");
    refuse(
        defaults.getOptimizationAlgo() != OptimizationAlgorithm.STOCHASTIC_GRADIENT_DESCENT,
        "its algorithm is " + defaults.getOptimizationAlgo());
    refuse(
        defaults.getStepFunction() != null
            && !(defaults.getStepFunction() instanceof NegativeGradientStepFunction),
        "it has a step function of its own");
    refuse(training.backprop() == BackpropType.TruncatedBPTT, "it truncates backpropagation");
    refuse(
        training.cache() != null && training.cache() != CacheMode.NONE,
        "its cache mode is " + training.cache() + "; NONE is needed");
    refuse(
        training.listeners() > 0,
        "it has listeners, which would see the parameters from before the training");
    ConvexOptimizer optimizer = training.optimizer();
    refuse(
        optimizer != null && optimizer.getGradientsAccumulator() != null,
        "its gradients are accumulated elsewhere");
    for (int i = 0; i < layers.length; i++) {
      check(layers[i], "layer %d (%s)".formatted(i, layers[i].getClass().getSimpleName()));
    }
  }

  private static void check(Layer layer, String what) {
    refuse(
        layer instanceof BaseWrapperLayer
            || !(layer instanceof org.deeplearning4j.nn.layers.AbstractLayer),
        what + " is made of other layers or frozen");
    refuse(layer.isPretrainLayer(), what + " is trained layer by layer");
    refuse(
        layer.getClass().getPackageName().endsWith(".samediff"),
        what + " is a SameDiff graph of its own");
    refuse(
        layer.conf().getLayer() instanceof BaseLayer base && base.getWeightNoise() != null,
        what + " has weight noise");
  }

  private static void refuse(boolean when, String why) {
    if (when) {
      throw new UnsupportedNetworkException("the network cannot train in a placed memory: " + why);
    }
  }

  /** Whether a layer may change its input in place. */
  static boolean writesInput(Layer layer) {
    return dropout(layer) != null || !READERS.contains(layer.getClass());
  }

  /** Whatever has fields that the layer's passes use. */
  static List<Object> owners(Layer layer) {
    List<Object> owners = new ArrayList<>();
    owners.add(layer);
    IDropout dropout = dropout(layer);
    if (dropout != null) {
      owners.add(dropout);
    }
    return owners;
  }

  private static @Nullable IDropout dropout(Layer layer) {
    return layer.conf().getLayer().getIDropout();
  }

  /** Such as "convolution". */
  static String kind(Layer layer) {
    String name = layer.getClass().getSimpleName();
    String shortened = name.endsWith("Layer") ? name.substring(0, name.length() - 5) : name;
    return shortened.toLowerCase(Locale.ROOT);
  }
}
