package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.layer.Loss;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import org.jspecify.annotations.Nullable;

/** Reads Deeplearning4j's output layers and their losses. */
final class OutputReader {
  private static final double DEFAULT_SOFTMAX_BOUND = 1e-10;
  private static final double DEFAULT_SIGMOID_BOUND = 1e-5;

  private OutputReader() {}

  static LayerPlan.Output read(String name, Settings layer) throws UncompilableException {
    boolean softmax = softmax(layer);
    Activation activation = activation(name, layer, softmax);
    return new LayerPlan.Output(
        name,
        layer.positive("nin"),
        layer.positive("nout"),
        layer.flag("hasBias"),
        softmax,
        activation,
        loss(name, layer, softmax, activation));
  }

  /**
   * Returns the plan of a loss layer.
   *
   * @param outputs number of values of a row that the layer takes and gives
   */
  static LayerPlan.LossOnly read(String name, Settings layer, int outputs)
      throws UncompilableException {
    boolean softmax = softmax(layer);
    Activation activation = activation(name, layer, softmax);
    return new LayerPlan.LossOnly(
        name, outputs, softmax, activation, loss(name, layer, softmax, activation));
  }

  private static boolean softmax(Settings layer) throws UncompilableException {
    Settings function = layer.required("the activation", "activationFn");
    return ActivationReader.name(function).equals(ActivationReader.SOFTMAX);
  }

  private static Activation activation(String name, Settings layer, boolean softmax)
      throws UncompilableException {
    return softmax ? Activation.IDENTITY : ActivationReader.ofOutputs(name, layer, "activationFn");
  }

  private static Loss loss(String name, Settings layer, boolean softmax, Activation activation)
      throws UncompilableException {
    Settings function = layer.required("the loss", "lossFn");
    String type = function.simpleName();
    Loss loss =
        function.has("weights")
            ? null
            : softmax ? ofSoftmax(function, type) : ofOthers(name, function, type, activation);
    if (loss == null) {
      throw new UncompilableException(
          "the loss %s with the activation of layer '%s' is not known, only MCXENT or NEGATIVELOGLIKELIHOOD with softmax, XENT with sigmoid, and MSE or L2 without softmax, all without weights of outputs"
              .formatted(type, name));
    }
    return loss;
  }

  private static @Nullable Loss ofSoftmax(Settings function, String type)
      throws UncompilableException {
    return switch (type) {
      case "LossMCXENT", "LossNegativeLogLikelihood" ->
          new Loss.SoftmaxCrossEntropy(function.number("softmaxClipEps", DEFAULT_SOFTMAX_BOUND));
      default -> null;
    };
  }

  private static @Nullable Loss ofOthers(
      String name, Settings function, String type, Activation activation)
      throws UncompilableException {
    return switch (type) {
      case "LossBinaryXENT" ->
          activation.equals(Activation.SIGMOID)
              ? new Loss.SigmoidCrossEntropy(function.number("clipEps", DEFAULT_SIGMOID_BOUND))
              : null;
      case "LossMSE" -> new Loss.SquaredError(activation, true);
      case "LossL2" -> new Loss.SquaredError(activation, false);
      case "TargetLossFunction" ->
          activation.equals(Activation.IDENTITY)
              ? new Loss.OfTargets(target(name, function))
              : null;
      default -> null;
    };
  }

  private static TargetLoss target(String name, Settings function) throws UncompilableException {
    try {
      return new TargetLoss(
          TargetLoss.Kind.valueOf(function.text("kind")), function.number("parameter"));
    } catch (IllegalArgumentException unknown) {
      throw new UncompilableException(
          "the loss of layer '%s' is not known: %s".formatted(name, unknown.getMessage()), unknown);
    }
  }
}
