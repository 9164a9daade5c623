package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.Activation;

/** Reads Deeplearning4j's activation functions. */
final class ActivationReader {
  private static final String PREFIX = "Activation";

  /**
   * The name of the softmax, whose outputs depend on each other. Only the last layer can have it.
   */
  static final String SOFTMAX = "Softmax";

  private static final String ALPHA = "alpha";

  /** The only alpha of ELU for which Deeplearning4j trains with the slope of the function. */
  private static final double ELU_ALPHA = 1;

  private static final double DEFAULT_LEAKY_SLOPE = 0.01;
  private static final double DEFAULT_BOUND = 6;
  private static final double DEFAULT_THRESHOLD = 1;

  /** The slope of the hard sigmoid in Deeplearning4j, Keras and ONNX. */
  private static final double DEFAULT_HARD_SLOPE = 0.2;

  private ActivationReader() {}

  /**
   * Returns the activation function of a layer.
   *
   * @param layer name of the layer, for messages
   * @param setting name of the layer's setting
   */
  static Activation read(String layer, Settings settings, String setting)
      throws UncompilableException {
    return read(layer, settings.required("the activation", setting));
  }

  /** Returns the name of a function, for instance {@code ReLU}. */
  static String name(Settings function) throws UncompilableException {
    String type = function.simpleName();
    return type.startsWith(PREFIX) ? type.substring(PREFIX.length()) : type;
  }

  private static Activation read(String layer, Settings function) throws UncompilableException {
    String name = name(function);
    return switch (name) {
      case "Identity" -> Activation.IDENTITY;
      case "ReLU" -> relu(layer, function);
      case "TanH" -> Activation.TANH;
      case "Sigmoid" -> Activation.SIGMOID;
      case "LReLU" -> leaky(layer, function.number(ALPHA, DEFAULT_LEAKY_SLOPE));
      case "ELU" -> elu(layer, function.number(ALPHA, ELU_ALPHA));
      case "SELU" -> new Activation(Activation.Kind.SELU, 0);
      case "SoftPlus" -> new Activation(Activation.Kind.SOFTPLUS, 0);
      case "SoftSign" -> new Activation(Activation.Kind.SOFTSIGN, 0);
      case "Swish" -> new Activation(Activation.Kind.SWISH, 0);
      case "Mish" -> new Activation(Activation.Kind.MISH, 0);
      case "ReLU6" -> of(layer, name, Activation.Kind.BOUNDED_RELU, DEFAULT_BOUND);
      case "ThresholdedReLU" ->
          new Activation(
              Activation.Kind.THRESHOLDED_RELU,
              (float) function.number("theta", DEFAULT_THRESHOLD));
      case "HardSigmoid" ->
          of(layer, name, Activation.Kind.HARD_SIGMOID, function.number(ALPHA, DEFAULT_HARD_SLOPE));
      case "HardSwish" -> new Activation(Activation.Kind.HARD_SWISH, 0);
      // iDlaLayer's own ELU, whose training uses the slope of its own alpha.
      case "Elu" -> of(layer, name, Activation.Kind.ELU, function.number(ALPHA, ELU_ALPHA));
      case "Gelu" -> gelu(layer, function.text("approximate"));
      case "GELU" ->
          throw new UncompilableException(
              "layer '%s' has Deeplearning4j's activation GELU, which is another function than that of other programs: write io.idlalayer.modelloader.network.Gelu in its place"
                  .formatted(layer));
      default -> throw UncompilableException.of("activation " + name, layer);
    };
  }

  private static Activation relu(String layer, Settings function) throws UncompilableException {
    if (function.has("threshold") || function.has("negativeSlope")) {
      throw UncompilableException.of("activation ReLU with a threshold or slope", layer);
    }
    return function.has("max")
        ? of(layer, "ReLU", Activation.Kind.BOUNDED_RELU, function.number("max", 0))
        : Activation.RELU;
  }

  private static Activation of(String layer, String name, Activation.Kind kind, double alpha)
      throws UncompilableException {
    if (!(alpha > 0) || !Float.isFinite((float) alpha)) {
      throw UncompilableException.of(
          "activation %s with the number %s".formatted(name, alpha), layer);
    }
    return new Activation(kind, (float) alpha);
  }

  private static Activation gelu(String layer, String approximate) throws UncompilableException {
    return switch (approximate) {
      case "none" -> new Activation(Activation.Kind.GELU, 0);
      case "tanh" -> new Activation(Activation.Kind.GELU_TANH, 0);
      default ->
          throw UncompilableException.of("Gelu with the approximation " + approximate, layer);
    };
  }

  /**
   * Returns the activation function of a layer that stores only its outputs, such as the last
   * layer.
   */
  static Activation ofOutputs(String layer, Settings settings, String setting)
      throws UncompilableException {
    Activation function = read(layer, settings, setting);
    if (function.needsInputs()) {
      throw UncompilableException.of("activation " + function.kind(), layer);
    }
    return function;
  }

  private static Activation leaky(String layer, double alpha) throws UncompilableException {
    if (!(alpha > 0)) {
      throw UncompilableException.of("activation LReLU with alpha " + alpha, layer);
    }
    return new Activation(Activation.Kind.RELU, (float) alpha);
  }

  /**
   * Returns the ELU with a given alpha. Deeplearning4j predicts with the given alpha but trains
   * with the slope of alpha 1, so any other alpha is refused.
   */
  private static Activation elu(String layer, double alpha) throws UncompilableException {
    if (alpha != ELU_ALPHA) {
      throw new UncompilableException(
          "layer '%s' has Deeplearning4j's activation ELU with alpha %s, which it trains with the slope of alpha 1: write io.idlalayer.modelloader.network.Elu in its place"
              .formatted(layer, alpha));
    }
    return new Activation(Activation.Kind.ELU, (float) ELU_ALPHA);
  }
}
