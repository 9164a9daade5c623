package io.idlalayer.modelcontroller.engine.configuration;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;

/**
 * Makes the layers of configurations, with the settings in Deeplearning4j's order.
 *
 * @param fit learning rate, penalty and updater of all layers
 */
record LayerNodes(ModelSpec.Fit fit) {
  private static final String CLASS = "@class";
  private static final String LAYERS = "org.deeplearning4j.nn.conf.layers.";
  private static final String ACTIVATIONS = "org.nd4j.linalg.activations.impl.Activation";
  private static final String LOSSES = "org.nd4j.linalg.lossfunctions.impl.Loss";
  private static final String UPDATERS = "org.nd4j.linalg.learning.config.";
  private static final String WEIGHTS = "org.deeplearning4j.nn.weights.WeightInit";
  private static final String RATE = "learningRate";
  private static final double MOMENTUM = 0.9;
  private static final double BETA_1 = 0.9;
  private static final double BETA_2 = 0.999;
  private static final double ADAM_EPSILON = 1e-8;
  private static final double SOFTMAX_BOUND = 1e-10;
  private static final double SIGMOID_BOUND = 1e-5;
  private static final double POOLING_EPSILON = 1e-8;
  private static final int LINE_SEARCHES = 5;

  /** Deeplearning4j's names of activation functions. */
  enum Function {
    IDENTITY("Identity"),
    RELU("ReLU"),
    SIGMOID("Sigmoid"),
    SOFTMAX("Softmax");

    private final String name;

    Function(String name) {
      this.name = name;
    }
  }

  /** Deeplearning4j's names of initialisations of weights. */
  enum Weights {
    RELU("Relu"),
    XAVIER("Xavier");

    private final String name;

    Weights(String name) {
      this.name = name;
    }
  }

  static ObjectNode typed(String type) {
    return ConfigurationJson.object().put(CLASS, type);
  }

  /** Returns the L2 penalty of a weight. */
  static ObjectNode l2(double weight) {
    ObjectNode penalty = typed("org.nd4j.linalg.learning.regularization.L2Regularization");
    penalty.set("l2", typed("org.nd4j.linalg.schedule.FixedSchedule").put("value", weight));
    return penalty;
  }

  /** Returns the part of a network that says how a layer is trained, without the layer. */
  static ObjectNode training() {
    ObjectNode training =
        ConfigurationJson.object()
            .put("cacheMode", "NONE")
            .put("dataType", "FLOAT")
            .put("epochCount", 0)
            .put("iterationCount", 0)
            .putNull("layer")
            .put("maxNumLineSearchIterations", LINE_SEARCHES)
            .put("miniBatch", true)
            .put("minimize", true)
            .put("optimizationAlgo", "STOCHASTIC_GRADIENT_DESCENT")
            .put("seed", 0)
            .putNull("stepFunction");
    training.putArray("variables");
    return training;
  }

  private static ObjectNode trained(ObjectNode layer) {
    ObjectNode training = training();
    training.set("layer", layer);
    return training;
  }

  ObjectNode dense(String name, int inputs, int outputs, Function function, Weights weights) {
    ObjectNode layer = begin("DenseLayer", function);
    common(layer).put("hasBias", true).put("hasLayerNorm", false);
    dropoutAndUpdater(layer);
    layer.put("layerName", name);
    sizes(layer, inputs, outputs);
    end(layer, weights);
    return trained(layer);
  }

  ObjectNode output(String name, int inputs, int outputs, Function function, ObjectNode loss) {
    ObjectNode layer = begin("OutputLayer", function);
    common(layer).put("hasBias", true);
    dropoutAndUpdater(layer);
    layer.put("layerName", name);
    layer.set("lossFn", loss);
    sizes(layer, inputs, outputs);
    end(layer, Weights.XAVIER);
    return trained(layer);
  }

  ObjectNode lossOnly(String name, int inputs, Function function, ObjectNode loss) {
    ObjectNode layer = begin("LossLayer", function);
    common(layer);
    dropoutAndUpdater(layer);
    layer.put("layerName", name);
    layer.set("lossFn", loss);
    sizes(layer, inputs, 0);
    end(layer, Weights.RELU);
    return trained(layer);
  }

  /** Returns a convolution whose images keep their size. */
  ObjectNode convolution(String name, int channels, int filters, int kernel) {
    ObjectNode layer = begin("ConvolutionLayer", Function.RELU);
    layer
        .put("biasInit", 0.0)
        .putNull("biasUpdater")
        .put("cnn2dDataFormat", "NCHW")
        .putNull("constraints")
        .put("convolutionMode", "Same")
        .put("cudnnAlgoMode", "PREFER_FASTEST")
        .put("cudnnAllowFallback", true)
        .putNull("cudnnBwdDataAlgo")
        .putNull("cudnnBwdFilterAlgo")
        .putNull("cudnnFwdAlgo");
    pair(layer, "dilation", 1);
    layer
        .put("gainInit", 1.0)
        .put("gradientNormalization", "None")
        .put("gradientNormalizationThreshold", 1.0)
        .put("hasBias", true);
    dropoutAndUpdater(layer);
    pair(layer, "kernelSize", kernel);
    layer.put("layerName", name).put("nin", channels).put("nout", filters);
    pair(layer, "padding", 0);
    penalties(layer);
    pair(layer, "stride", 1);
    end(layer, Weights.RELU);
    return trained(layer);
  }

  /** Returns a pooling that takes the maximum of each window; windows do not overlap. */
  static ObjectNode pooling(String name, int size) {
    ObjectNode layer =
        typed(LAYERS + "SubsamplingLayer")
            .put("avgPoolIncludePadInDivisor", false)
            .put("cnn2dDataFormat", "NCHW")
            .putNull("constraints")
            .put("convolutionMode", "Truncate")
            .put("cudnnAllowFallback", true);
    pair(layer, "dilation", 1);
    layer
        .put("eps", POOLING_EPSILON)
        .put("gradientNormalization", "None")
        .put("gradientNormalizationThreshold", 0.0)
        .putNull("idropout");
    pair(layer, "kernelSize", size);
    layer.put("layerName", name);
    pair(layer, "padding", 0);
    layer.put("pnorm", 0).put("poolingType", "MAX");
    pair(layer, "stride", size);
    return trained(layer);
  }

  private static ObjectNode begin(String type, Function function) {
    ObjectNode layer = typed(LAYERS + type);
    ObjectNode activation = typed(ACTIVATIONS + function.name);
    if (function == Function.RELU) {
      activation.putNull("max").putNull("negativeSlope").putNull("threshold");
    }
    layer.set("activationFn", activation);
    return layer;
  }

  private static ObjectNode common(ObjectNode layer) {
    return layer
        .put("biasInit", 0.0)
        .putNull("biasUpdater")
        .putNull("constraints")
        .put("gainInit", 1.0)
        .put("gradientNormalization", "None")
        .put("gradientNormalizationThreshold", 1.0);
  }

  private void dropoutAndUpdater(ObjectNode layer) {
    layer.putNull("idropout");
    layer.set("iupdater", updater());
  }

  private void sizes(ObjectNode layer, int inputs, int outputs) {
    layer.put("nin", inputs).put("nout", outputs);
    penalties(layer);
  }

  private void penalties(ObjectNode layer) {
    ArrayNode penalties = layer.putArray("regularization");
    if (fit.l2() > 0) {
      penalties.add(l2(fit.l2()));
    }
    layer.putArray("regularizationBias");
  }

  private static void end(ObjectNode layer, Weights weights) {
    layer.putNull("timeDistributedFormat");
    layer.set("weightInitFn", typed(WEIGHTS + weights.name));
    layer.putNull("weightNoise");
  }

  private ObjectNode updater() {
    double rate = fit.learningRate();
    return switch (fit.updater()) {
      case SGD -> typed(UPDATERS + "Sgd").put(RATE, rate);
      case NESTEROVS -> typed(UPDATERS + "Nesterovs").put(RATE, rate).put("momentum", MOMENTUM);
      case ADAM ->
          typed(UPDATERS + "Adam")
              .put("beta1", BETA_1)
              .put("beta2", BETA_2)
              .put("epsilon", ADAM_EPSILON)
              .put(RATE, rate);
    };
  }

  private static void pair(ObjectNode layer, String name, int value) {
    layer.putArray(name).add(value).add(value);
  }

  // ---- losses ---------------------------------------------------------------------------------

  /** Returns the cross-entropy of the softmax. */
  static ObjectNode softmaxLoss() {
    return typed(LOSSES + "MCXENT").put("softmaxClipEps", SOFTMAX_BOUND);
  }

  /** Returns the cross-entropy of a sigmoid for each output. */
  static ObjectNode sigmoidLoss() {
    return typed(LOSSES + "BinaryXENT").put("clipEps", SIGMOID_BOUND);
  }

  /**
   * Returns the loss of targets.
   *
   * @param mean whether squared errors are averaged over the outputs of a row, and not summed
   */
  static ObjectNode targetLoss(TargetLoss loss, boolean mean) {
    return loss.equals(TargetLoss.SQUARED)
        ? typed(LOSSES + (mean ? "MSE" : "L2"))
        : typed("io.idlalayer.modelloader.network.TargetLossFunction")
            .put("kind", loss.kind().name())
            .put("parameter", loss.parameter());
  }
}
