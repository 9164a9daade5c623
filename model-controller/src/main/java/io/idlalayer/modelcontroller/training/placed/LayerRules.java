package io.idlalayer.modelcontroller.training.placed;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.deeplearning4j.nn.api.layers.IOutputLayer;
import org.deeplearning4j.nn.conf.BackpropType;
import org.deeplearning4j.nn.conf.CacheMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.stepfunctions.NegativeGradientStepFunction;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.deeplearning4j.nn.graph.vertex.impl.FrozenVertex;
import org.deeplearning4j.nn.graph.vertex.impl.LayerVertex;
import org.deeplearning4j.nn.graph.vertex.impl.MergeVertex;
import org.deeplearning4j.nn.graph.vertex.impl.SubsetVertex;
import org.deeplearning4j.nn.layers.AbstractLayer;
import org.deeplearning4j.nn.layers.ActivationLayer;
import org.deeplearning4j.nn.layers.OutputLayer;
import org.deeplearning4j.nn.layers.convolution.Convolution1DLayer;
import org.deeplearning4j.nn.layers.convolution.ConvolutionLayer;
import org.deeplearning4j.nn.layers.convolution.Deconvolution2DLayer;
import org.deeplearning4j.nn.layers.convolution.SeparableConvolution2DLayer;
import org.deeplearning4j.nn.layers.convolution.ZeroPaddingLayer;
import org.deeplearning4j.nn.layers.convolution.subsampling.SubsamplingLayer;
import org.deeplearning4j.nn.layers.feedforward.PReLU;
import org.deeplearning4j.nn.layers.feedforward.dense.DenseLayer;
import org.deeplearning4j.nn.layers.feedforward.embedding.EmbeddingLayer;
import org.deeplearning4j.nn.layers.normalization.BatchNormalization;
import org.deeplearning4j.nn.layers.pooling.GlobalPoolingLayer;
import org.deeplearning4j.nn.layers.recurrent.LSTM;
import org.deeplearning4j.nn.layers.recurrent.RnnOutputLayer;
import org.deeplearning4j.nn.layers.recurrent.SimpleRnn;
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
          OutputLayer.class,
          RnnOutputLayer.class,
          SubsamplingLayer.class,
          ZeroPaddingLayer.class);

  /** Layers whose backward passes write all of their gradients. */
  private static final Set<Class<?>> WRITERS =
      Set.of(
          BatchNormalization.class,
          Convolution1DLayer.class,
          ConvolutionLayer.class,
          Deconvolution2DLayer.class,
          DenseLayer.class,
          EmbeddingLayer.class,
          LSTM.class,
          OutputLayer.class,
          PReLU.class,
          RnnOutputLayer.class,
          SeparableConvolution2DLayer.class,
          SimpleRnn.class);

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
        layer instanceof BaseWrapperLayer || !(layer instanceof AbstractLayer),
        what + " is made of other layers or frozen");
    refuse(layer.isPretrainLayer(), what + " is trained layer by layer");
    refuse(
        layer.getClass().getPackageName().endsWith(".samediff"),
        what + " is a SameDiff graph of its own");
    refuse(
        layer.conf().getLayer() instanceof BaseLayer base && base.getWeightNoise() != null,
        what + " has weight noise");
  }

  /**
   * @throws UnsupportedNetworkException if a vertex cannot be trained this way
   */
  static void check(GraphVertex vertex) {
    String what = "vertex " + vertex.getVertexName();
    refuse(
        !(vertex.isInputVertex() || vertex instanceof LayerVertex) && vertex.numParams() > 0,
        what + " has parameters but is no layer");
    refuse(vertex instanceof FrozenVertex, what + " is frozen");
    refuse(
        vertex.isOutputVertex() && !(vertex.getLayer() instanceof IOutputLayer),
        what + " is an output but no output layer");
    refuse(
        vertex.isOutputVertex() && vertex.getNumOutputConnections() > 0,
        what + " is an output that others use");
  }

  /** Whether a vertex needs only the shapes of its inputs in its backward pass. */
  static boolean needsShapesOnly(
      GraphVertex vertex, org.deeplearning4j.nn.conf.graph.@Nullable GraphVertex configuration) {
    if (configuration instanceof ElementWiseVertex elements) {
      return elements.getOp() != ElementWiseVertex.Op.Product
          && elements.getOp() != ElementWiseVertex.Op.Max;
    }
    return vertex instanceof MergeVertex || vertex instanceof SubsetVertex;
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

  /** Whether a layer's backward pass may change the error behind it in place, as masks do. */
  static boolean writesError(Layer layer) {
    return layer.getMaskArray() != null || !READERS.contains(layer.getClass());
  }

  /**
   * Whether a layer's backward pass writes all of its gradients. Of one that does not,
   * Deeplearning4j takes what the last update left there.
   */
  static boolean writesAllGradients(Layer layer) {
    return WRITERS.contains(layer.getClass());
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

  /** Such as "convolution" or "merge". */
  static String kind(Object layer) {
    String name = layer.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    for (String suffix : new String[] {"layer", "vertex"}) {
      if (name.endsWith(suffix)) {
        return name.substring(0, name.length() - suffix.length());
      }
    }
    return name;
  }
}
