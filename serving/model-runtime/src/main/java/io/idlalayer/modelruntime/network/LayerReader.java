package io.idlalayer.modelruntime.network;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads the settings of layers from Deeplearning4j's JSON. */
final class LayerReader {
  private static final String LAYERS = "org.deeplearning4j.nn.conf.layers.";

  /** Package of the classes of iDlaLayer that configurations name. */
  static final String OWN = "io.idlalayer.modelloader.network.";

  private static final String ACTIVATIONS = "org.nd4j.linalg.activations.impl.Activation";
  private static final String DROPOUT = "org.deeplearning4j.nn.conf.dropout.Dropout";
  private static final double DEFAULT_LEAKY_SLOPE = 0.01;
  private static final double DEFAULT_ELU = 1;
  private static final double DEFAULT_BOUND = 6;
  private static final double DEFAULT_THRESHOLD = 1;
  private static final double DEFAULT_HARD_SLOPE = 0.2;

  private LayerReader() {}

  /**
   * Returns the settings of a layer on which predictions depend.
   *
   * @param name name of the layer, for messages
   * @param inputs shape of the layer's inputs
   */
  static LayerSettings read(String name, JsonNode configuration, RowShape inputs)
      throws MalformedModelException, UnsupportedModelException {
    Settings outer = new Settings(name, configuration);
    outer.passOver(
        "cacheMode",
        "dataType",
        "epochCount",
        "iterationCount",
        "layer",
        "maxNumLineSearchIterations",
        "miniBatch",
        "minimize",
        "optimizationAlgo",
        "seed",
        "stepFunction",
        "variables");
    outer.checkAllKnown();
    Settings settings = new Settings(name, configuration.path("layer"));
    String type = settings.text("@class");
    if (type.equals(LAYERS + "recurrent.LastTimeStep")) {
      return lastStep(name, settings);
    }
    return read(name, type, settings, inputs);
  }

  private static LayerSettings lastStep(String name, Settings outer)
      throws MalformedModelException, UnsupportedModelException {
    passOverTraining(outer);
    outer.checkNull("idropout");
    JsonNode inner = outer.take("underlying");
    outer.checkAllKnown();
    if (inner == null) {
      throw ConfigurationReader.malformed(name + " has no underlying layer");
    }
    Settings settings = new Settings(name, inner);
    String type = settings.text("@class");
    if (!type.equals(LAYERS + "LSTM")) {
      throw new UnsupportedModelException("%s, the last step of a %s,".formatted(name, type));
    }
    return recurrent(settings, true);
  }

  private static LayerSettings read(String name, String type, Settings settings, RowShape inputs)
      throws MalformedModelException, UnsupportedModelException {
    return switch (type) {
      case LAYERS + "DenseLayer" -> dense(settings, inputs, false);
      case LAYERS + "OutputLayer" -> dense(settings, inputs, true);
      case LAYERS + "LossLayer" -> activated(settings, inputs, true);
      case LAYERS + "ActivationLayer" -> activated(settings, inputs, false);
      case LAYERS + "DropoutLayer" -> {
        settings.passOver("activationFn", "nin", "nout");
        checkUsual(settings);
        checkFormat(settings, inputs);
        settings.checkAllKnown();
        yield new LayerSettings.Dropped();
      }
      case LAYERS + "ConvolutionLayer" -> convolution(settings);
      case LAYERS + "SubsamplingLayer" -> pooling(settings);
      case LAYERS + "GlobalPoolingLayer" -> globalPooling(settings);
      case LAYERS + "BatchNormalization" -> normalization(settings);
      case OWN + "LayerNormalization" -> layerNormalization(settings, inputs);
      case LAYERS + "PReLULayer" -> rectified(settings);
      case LAYERS + "LSTM" -> recurrent(settings, false);
      default -> throw new UnsupportedModelException("%s, a %s,".formatted(name, type));
    };
  }

  /** Marks settings as read that all layers have and those that only training needs. */
  private static void passOverTraining(Settings settings) {
    settings.passOver(
        "biasInit",
        "biasUpdater",
        "constraints",
        "gainInit",
        "gradientNormalization",
        "gradientNormalizationThreshold",
        "iupdater",
        "layerName",
        "lossFn",
        "regularization",
        "regularizationBias",
        "weightInitFn");
  }

  private static void checkUsual(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    passOverTraining(settings);
    settings.checkNull("weightNoise");
    checkDropout(settings);
  }

  /**
   * Checks the data format of a layer. Deeplearning4j writes a format also for rows that come from
   * a time series; there it has no influence.
   */
  private static void checkFormat(Settings settings, RowShape inputs)
      throws UnsupportedModelException {
    if (inputs instanceof RowShape.Flat) {
      settings.passOver("timeDistributedFormat");
    } else {
      settings.checkNull("timeDistributedFormat");
    }
  }

  private static LayerSettings dense(Settings settings, RowShape inputs, boolean last)
      throws MalformedModelException, UnsupportedModelException {
    checkUsual(settings);
    checkFormat(settings, inputs);
    if (!last && settings.flag("hasLayerNorm")) {
      throw new UnsupportedModelException("layer normalization of " + settings.owner());
    }
    LayerSettings layer =
        new LayerSettings.Dense(
            last,
            settings.integer("nin"),
            settings.integer("nout"),
            settings.flag("hasBias"),
            activation(settings, "activationFn"));
    settings.checkAllKnown();
    return layer;
  }

  private static LayerSettings activated(Settings settings, RowShape inputs, boolean last)
      throws MalformedModelException, UnsupportedModelException {
    checkUsual(settings);
    checkFormat(settings, inputs);
    settings.passOver("nin", "nout");
    ActivationFunction activation =
        settings.take("activationFn") == null
            ? ActivationFunction.IDENTITY
            : activation(settings, "activationFn");
    settings.checkAllKnown();
    return new LayerSettings.Activated(last, activation);
  }

  private static LayerSettings convolution(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    checkUsual(settings);
    settings.checkNull("timeDistributedFormat");
    settings.passOver(
        "cudnnAlgoMode",
        "cudnnAllowFallback",
        "cudnnBwdDataAlgo",
        "cudnnBwdFilterAlgo",
        "cudnnFwdAlgo");
    LayerSettings layer =
        new LayerSettings.Convolved(
            settings.integer("nin"),
            settings.integer("nout"),
            settings.flag("hasBias"),
            activation(settings, "activationFn"),
            windows(settings));
    settings.checkAllKnown();
    return layer;
  }

  private static LayerSettings pooling(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    checkUsual(settings);
    settings.passOver("cudnnAllowFallback", "eps", "pnorm");
    boolean border = settings.flag("avgPoolIncludePadInDivisor");
    PoolingStep.Kind kind =
        max(settings)
            ? PoolingStep.Kind.MAX
            : border ? PoolingStep.Kind.MEAN_WITH_BORDER : PoolingStep.Kind.MEAN;
    LayerSettings layer = new LayerSettings.Pooled(kind, windows(settings));
    settings.checkAllKnown();
    return layer;
  }

  private static boolean max(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    String type = settings.text("poolingType");
    return switch (type) {
      case "MAX" -> true;
      case "AVG" -> false;
      default ->
          throw new UnsupportedModelException("pooling %s of %s".formatted(type, settings.owner()));
    };
  }

  private static LayerSettings globalPooling(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    checkUsual(settings);
    settings.passOver("pnorm");
    boolean max = max(settings);
    if (!settings.flag("collapseDimensions")) {
      throw new UnsupportedModelException("kept dimensions of " + settings.owner());
    }
    int[] dimensions =
        settings.take("poolingDimensions") == null ? null : settings.integers("poolingDimensions");
    settings.checkAllKnown();
    boolean image = Arrays.equals(dimensions, new int[] {2, 3});
    if (dimensions != null && !image && !Arrays.equals(dimensions, new int[] {2})) {
      throw new UnsupportedModelException("choice of dimensions of " + settings.owner());
    }
    @Nullable Boolean series = dimensions == null ? null : !image;
    return new LayerSettings.GloballyPooled(max, series);
  }

  private static LayerSettings normalization(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    checkUsual(settings);
    settings.checkNull("timeDistributedFormat");
    // Deeplearning4j does not apply the activation of this layer.
    settings.passOver("activationFn", "beta", "cudnnAllowFallback", "decay", "gamma", "nin");
    checkText(settings, "cnn2DFormat", "NCHW");
    if (settings.flag("lockGammaBeta") || !settings.flag("minibatch")) {
      throw new UnsupportedModelException(
          "fixed scale or missing mini-batch of " + settings.owner());
    }
    LayerSettings layer =
        new LayerSettings.Normalized(
            settings.integer("nout"), settings.number("eps", 0), settings.flag("useLogStd"));
    settings.checkAllKnown();
    return layer;
  }

  private static LayerSettings layerNormalization(Settings settings, RowShape inputs)
      throws MalformedModelException, UnsupportedModelException {
    checkUsual(settings);
    checkFormat(settings, inputs);
    // As for a batch normalization, the activation of this layer is not applied.
    settings.passOver("activationFn", "nin");
    LayerSettings layer =
        new LayerSettings.LayerNormalized(settings.integer("nout"), settings.number("eps", 0));
    settings.checkAllKnown();
    return layer;
  }

  private static LayerSettings rectified(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    checkUsual(settings);
    settings.checkNull("timeDistributedFormat");
    // As for a batch normalization, the activation of this layer is not applied.
    settings.passOver("activationFn", "nin", "nout");
    JsonNode shared = settings.take("sharedAxes");
    LayerSettings layer =
        new LayerSettings.Rectified(
            settings.integers("inputShape"),
            shared == null || (shared.isArray() && shared.isEmpty())
                ? new int[0]
                : settings.integers("sharedAxes"));
    settings.checkAllKnown();
    return layer;
  }

  private static LayerSettings recurrent(Settings settings, boolean lastStep)
      throws MalformedModelException, UnsupportedModelException {
    checkUsual(settings);
    settings.checkNull("timeDistributedFormat");
    settings.passOver("forgetGateBiasInit", "helperAllowFallback", "weightInitFnRecurrent");
    checkText(settings, "rnnDataFormat", "NCW");
    LayerSettings layer =
        new LayerSettings.Recurrent(
            settings.integer("nin"),
            settings.integer("nout"),
            activation(settings, "activationFn"),
            activation(settings, "gateActivationFn"),
            lastStep);
    settings.checkAllKnown();
    return layer;
  }

  private static LayerSettings.Windows windows(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    checkText(settings, "cnn2dDataFormat", "NCHW");
    int[] dilation = settings.integers("dilation");
    if (!Arrays.equals(dilation, new int[] {1, 1})) {
      throw new UnsupportedModelException("dilation of " + settings.owner());
    }
    String mode = settings.text("convolutionMode");
    if (!mode.equals("Same") && !mode.equals("Truncate") && !mode.equals("Strict")) {
      throw new UnsupportedModelException(
          "convolution mode %s of %s".formatted(mode, settings.owner()));
    }
    return new LayerSettings.Windows(
        settings.integers("kernelSize"),
        settings.integers("stride"),
        settings.integers("padding"),
        mode.equals("Same"),
        mode.equals("Strict"));
  }

  /**
   * Refuses a setting whose text differs from the only supported one; the setting may be missing.
   */
  static void checkText(Settings settings, String name, String known)
      throws MalformedModelException, UnsupportedModelException {
    if (settings.take(name) != null && !settings.text(name).equals(known)) {
      throw new UnsupportedModelException(
          "%s %s of %s".formatted(name, settings.text(name), settings.owner()));
    }
  }

  /**
   * Refuses kinds of dropout that may change predictions; the usual one does nothing in
   * predictions.
   */
  private static void checkDropout(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    JsonNode dropout = settings.take("idropout");
    if (dropout != null && !dropout.path("@class").asText("").equals(DROPOUT)) {
      settings.checkNull("idropout");
    }
  }

  private static ActivationFunction activation(Settings layer, String name)
      throws MalformedModelException, UnsupportedModelException {
    JsonNode function = layer.take(name);
    if (function == null) {
      throw ConfigurationReader.malformed(layer.owner() + " has no " + name);
    }
    Settings settings = new Settings("the activation of " + layer.owner(), function);
    String type = settings.text("@class");
    ActivationFunction activation =
        switch (type) {
          case ACTIVATIONS + "Identity" -> ActivationFunction.IDENTITY;
          case ACTIVATIONS + "ReLU" -> relu(settings);
          case ACTIVATIONS + "LReLU" ->
              new ActivationFunction(
                  ActivationFunction.Kind.LEAKY_RELU,
                  settings.number("alpha", DEFAULT_LEAKY_SLOPE));
          case ACTIVATIONS + "ELU", OWN + "Elu" ->
              new ActivationFunction(
                  ActivationFunction.Kind.ELU, settings.number("alpha", DEFAULT_ELU));
          case ACTIVATIONS + "SELU" -> of(ActivationFunction.Kind.SELU);
          case ACTIVATIONS + "SoftPlus" -> of(ActivationFunction.Kind.SOFTPLUS);
          case ACTIVATIONS + "SoftSign" -> of(ActivationFunction.Kind.SOFTSIGN);
          case ACTIVATIONS + "Swish" -> of(ActivationFunction.Kind.SWISH);
          case ACTIVATIONS + "Mish" -> of(ActivationFunction.Kind.MISH);
          case ACTIVATIONS + "ReLU6" ->
              new ActivationFunction(ActivationFunction.Kind.BOUNDED_RELU, DEFAULT_BOUND);
          case ACTIVATIONS + "ThresholdedReLU" ->
              new ActivationFunction(
                  ActivationFunction.Kind.THRESHOLDED_RELU,
                  settings.number("theta", DEFAULT_THRESHOLD));
          case ACTIVATIONS + "HardSigmoid", OWN + "HardSigmoid" ->
              new ActivationFunction(
                  ActivationFunction.Kind.HARD_SIGMOID,
                  settings.number("alpha", DEFAULT_HARD_SLOPE));
          case OWN + "HardSwish" -> of(ActivationFunction.Kind.HARD_SWISH);
          case OWN + "Gelu" -> gelu(settings);
          case ACTIVATIONS + "TanH" -> of(ActivationFunction.Kind.TANH);
          case ACTIVATIONS + "Sigmoid" -> of(ActivationFunction.Kind.SIGMOID);
          case ACTIVATIONS + "Softmax" -> of(ActivationFunction.Kind.SOFTMAX);
          default ->
              throw new UnsupportedModelException(
                  "activation %s of %s".formatted(type, layer.owner()));
        };
    settings.checkAllKnown();
    return activation;
  }

  private static ActivationFunction of(ActivationFunction.Kind kind) {
    return new ActivationFunction(kind, 0);
  }

  private static ActivationFunction gelu(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    String approximate = settings.text("approximate");
    return switch (approximate) {
      case "none" -> of(ActivationFunction.Kind.GELU);
      case "tanh" -> of(ActivationFunction.Kind.GELU_TANH);
      default ->
          throw new UnsupportedModelException(
              "approximation %s of %s".formatted(approximate, settings.owner()));
    };
  }

  private static ActivationFunction relu(Settings settings)
      throws MalformedModelException, UnsupportedModelException {
    if (settings.number("threshold", 0) != 0 || settings.number("negativeSlope", 0) != 0) {
      throw new UnsupportedModelException("threshold or slope of " + settings.owner());
    }
    double most = settings.number("max", Double.POSITIVE_INFINITY);
    return most == Double.POSITIVE_INFINITY
        ? of(ActivationFunction.Kind.RELU)
        : new ActivationFunction(ActivationFunction.Kind.BOUNDED_RELU, most);
  }
}
