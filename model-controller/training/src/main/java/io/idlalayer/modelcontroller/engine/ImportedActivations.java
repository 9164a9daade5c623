package io.idlalayer.modelcontroller.engine;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelloader.imported.ActivationExpression;
import io.idlalayer.modelloader.imported.ImportedNetwork;
import io.idlalayer.modelloader.imported.ImportedStep;
import java.util.Locale;

/** Compares the activations of an imported network with the activations of layers. */
final class ImportedActivations {
  private ImportedActivations() {}

  /**
   * Returns the step whose outputs are the inputs of an activation.
   *
   * @param expected activation of a layer
   * @param at place of the step that gives the values of the activation
   * @return place of that step; -1 if the network has another activation at {@code at}
   */
  static int before(Activation expected, ImportedNetwork network, int at) {
    ImportedNetwork.Node node = network.nodes().get(at);
    if (expected.equals(Activation.IDENTITY)) {
      return isFunction(node.step()) ? -1 : at;
    } else if (node.step() instanceof ImportedStep.Activated step && equal(step, expected)) {
      return node.sources().get(0);
    }
    return new ActivationExpression(network).source(at, x -> expected.value((float) x));
  }

  /** Returns the activation that a step computes, for messages. */
  static String name(ImportedStep step) {
    return isFunction(step)
        ? ((ImportedStep.Activated) step).function().name()
        : Activation.IDENTITY.kind().name();
  }

  /**
   * Returns whether a step is an activation of hidden layers, and not an activation that only the
   * network's output has.
   */
  private static boolean isFunction(ImportedStep step) {
    return step instanceof ImportedStep.Activated activated
        && switch (activated.function()) {
          case SOFTMAX, LOG_SOFTMAX, EXPONENTIAL -> false;
          case RELU,
              LEAKY_RELU,
              ELU,
              SELU,
              SOFTPLUS,
              SOFTSIGN,
              GELU,
              GELU_TANH,
              SWISH,
              MISH,
              BOUNDED_RELU,
              THRESHOLDED_RELU,
              HARD_SIGMOID,
              HARD_SWISH,
              TANH,
              SIGMOID,
              ERF,
              POWER,
              ABSOLUTE,
              ABOVE ->
              true;
        };
  }

  private static boolean equal(ImportedStep.Activated step, Activation expected) {
    float alpha = (float) step.alpha();
    return switch (step.function()) {
      case RELU -> expected.equals(Activation.RELU);
      case LEAKY_RELU -> expected.equals(new Activation(Activation.Kind.RELU, alpha));
      case ELU -> expected.equals(new Activation(Activation.Kind.ELU, alpha));
      case BOUNDED_RELU -> expected.equals(new Activation(Activation.Kind.BOUNDED_RELU, alpha));
      case THRESHOLDED_RELU ->
          expected.equals(new Activation(Activation.Kind.THRESHOLDED_RELU, alpha));
      case HARD_SIGMOID -> expected.equals(new Activation(Activation.Kind.HARD_SIGMOID, alpha));
      case SELU, SOFTPLUS, SOFTSIGN, GELU, GELU_TANH, SWISH, MISH, HARD_SWISH, TANH, SIGMOID ->
          expected.kind().name().equals(step.function().name());
      case ERF, POWER, ABSOLUTE, ABOVE, SOFTMAX, LOG_SOFTMAX, EXPONENTIAL -> false;
    };
  }

  /** Returns the activation of a layer, for messages. */
  static String name(Activation expected) {
    return expected.kind() == Activation.Kind.RELU && expected.alpha() != 0
        ? String.format(Locale.ROOT, "LEAKY_RELU of %s", expected.alpha())
        : expected.kind().name();
  }
}
