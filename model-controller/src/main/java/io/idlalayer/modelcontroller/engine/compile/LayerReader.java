package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.Loss;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationELU;
import org.nd4j.linalg.activations.impl.ActivationIdentity;
import org.nd4j.linalg.activations.impl.ActivationLReLU;
import org.nd4j.linalg.activations.impl.ActivationReLU;
import org.nd4j.linalg.activations.impl.ActivationSigmoid;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.activations.impl.ActivationTanH;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.lossfunctions.impl.LossBinaryXENT;
import org.nd4j.linalg.lossfunctions.impl.LossL2;
import org.nd4j.linalg.lossfunctions.impl.LossMCXENT;
import org.nd4j.linalg.lossfunctions.impl.LossMSE;
import org.nd4j.linalg.lossfunctions.impl.LossNegativeLogLikelihood;

/** Reads the layers of a network one after the other, and follows the width of a row. */
final class LayerReader {
  private int inputs;

  /** Numbers of one row that the first layer takes. */
  int inputs() {
    return inputs;
  }

  /**
   * @param before what turns the outputs of the layer before into its inputs; null for nothing
   */
  LayerPlan read(String name, Layer layer, @Nullable InputPreProcessor before, boolean last)
      throws UncompilableException {
    if (before != null) {
      throw unknown(name, "preprocessor " + before.getClass().getSimpleName());
    }
    if (last && layer instanceof OutputLayer out && exactly(layer, OutputLayer.class)) {
      takes(out.getNIn());
      return output(name, out);
    } else if (!last && layer instanceof DenseLayer dense && exactly(layer, DenseLayer.class)) {
      takes(dense.getNIn());
      if (dense.hasLayerNorm()) {
        throw unknown(name, "layer normalization");
      }
      return new LayerPlan.Dense(
          name,
          (int) dense.getNIn(),
          (int) dense.getNOut(),
          dense.hasBias(),
          activation(name, dense.getActivationFn()));
    }
    throw new UncompilableException(
        "layer '%s' is a %s; only DenseLayer, and OutputLayer at the end, are known"
            .formatted(name, layer.getClass().getSimpleName()));
  }

  /** A subclass may compute something else. */
  private static boolean exactly(Object object, Class<?> type) {
    return object.getClass() == type;
  }

  private void takes(long width) {
    if (inputs == 0) {
      inputs = (int) width;
    }
  }

  private static LayerPlan output(String name, OutputLayer out) throws UncompilableException {
    boolean softmax = exactly(out.getActivationFn(), ActivationSoftmax.class);
    Activation activation = softmax ? Activation.IDENTITY : activation(name, out.getActivationFn());
    return new LayerPlan.Output(
        name,
        (int) out.getNIn(),
        (int) out.getNOut(),
        out.hasBias(),
        softmax,
        activation,
        loss(name, out.getLossFn(), softmax, activation));
  }

  private static Loss loss(
      String name, ILossFunction function, boolean softmax, Activation activation)
      throws UncompilableException {
    if (softmax
        && function instanceof LossMCXENT entropy
        && (exactly(function, LossMCXENT.class)
            || exactly(function, LossNegativeLogLikelihood.class))
        && entropy.getWeights() == null) {
      return new Loss.SoftmaxCrossEntropy(entropy.getSoftmaxClipEps());
    } else if (!softmax
        && function instanceof LossBinaryXENT entropy
        && exactly(function, LossBinaryXENT.class)
        && activation.equals(Activation.SIGMOID)
        && entropy.getWeights() == null) {
      return new Loss.SigmoidCrossEntropy(entropy.getClipEps());
    } else if (!softmax
        && function instanceof LossL2 squares
        && (exactly(function, LossMSE.class) || exactly(function, LossL2.class))
        && squares.getWeights() == null) {
      return new Loss.SquaredError(activation, exactly(function, LossMSE.class));
    }
    throw new UncompilableException(
        "the loss %s with the activation of layer '%s' is not known, only MCXENT or NEGATIVELOGLIKELIHOOD with softmax, XENT with sigmoid, and MSE or L2 without softmax, all without weights of outputs"
            .formatted(function.getClass().getSimpleName(), name));
  }

  private static Activation activation(String name, IActivation function)
      throws UncompilableException {
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
    } else if (function instanceof ActivationELU elu && elu.getAlpha() > 0) {
      return new Activation(Activation.Kind.ELU, (float) elu.getAlpha());
    }
    throw unknown(name, "activation " + function);
  }

  private static UncompilableException unknown(String name, String what) {
    return new UncompilableException("the %s of layer '%s' is not known".formatted(what, name));
  }
}
