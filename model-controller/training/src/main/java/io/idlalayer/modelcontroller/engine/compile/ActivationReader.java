package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationELU;
import org.nd4j.linalg.activations.impl.ActivationIdentity;
import org.nd4j.linalg.activations.impl.ActivationLReLU;
import org.nd4j.linalg.activations.impl.ActivationReLU;
import org.nd4j.linalg.activations.impl.ActivationSigmoid;
import org.nd4j.linalg.activations.impl.ActivationTanH;

/** Converts Deeplearning4j's activation functions into those of the engine. */
final class ActivationReader {
  /** The only alpha of ELU for which Deeplearning4j trains with the slope of the function. */
  private static final double ELU_ALPHA = 1;

  private ActivationReader() {}

  /**
   * Returns the engine's form of an activation function.
   *
   * @param layer layer to name in the exception
   */
  static Activation read(String layer, IActivation function) throws UncompilableException {
    if (function instanceof ActivationIdentity) {
      return Activation.IDENTITY;
    } else if (function instanceof ActivationReLU && function.equals(new ActivationReLU())) {
      return Activation.RELU;
    } else if (function instanceof ActivationTanH) {
      return Activation.TANH;
    } else if (function instanceof ActivationSigmoid) {
      return Activation.SIGMOID;
    } else if (function instanceof ActivationLReLU leaky && leaky.getAlpha() > 0) {
      return new Activation(Activation.Kind.RELU, (float) leaky.getAlpha());
    } else if (function instanceof ActivationELU elu) {
      return elu(layer, elu.getAlpha());
    }
    throw UncompilableException.of("activation " + function, layer);
  }

  /**
   * Returns the ELU with a given alpha. Deeplearning4j predicts with that alpha, but trains with
   * the slope of alpha 1, so others are refused.
   */
  private static Activation elu(String layer, double alpha) throws UncompilableException {
    if (alpha != ELU_ALPHA) {
      throw new UncompilableException(
          "layer '%s' has the activation ELU with alpha %s, and only alpha 1 is known: Deeplearning4j trains each ELU with the slope of alpha 1"
              .formatted(layer, alpha));
    }
    return new Activation(Activation.Kind.ELU, (float) ELU_ALPHA);
  }
}
