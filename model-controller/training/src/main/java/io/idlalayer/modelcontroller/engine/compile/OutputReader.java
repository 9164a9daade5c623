package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.layer.Loss;
import io.idlalayer.modelloader.network.TargetLossFunction;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.lossfunctions.impl.LossBinaryXENT;
import org.nd4j.linalg.lossfunctions.impl.LossL2;
import org.nd4j.linalg.lossfunctions.impl.LossMCXENT;
import org.nd4j.linalg.lossfunctions.impl.LossMSE;
import org.nd4j.linalg.lossfunctions.impl.LossNegativeLogLikelihood;

/** Converts Deeplearning4j's output layers and their losses into plans. */
final class OutputReader {
  private OutputReader() {}

  static LayerPlan.Output read(String name, OutputLayer layer) throws UncompilableException {
    boolean softmax = softmax(layer);
    Activation activation = activation(name, layer);
    return new LayerPlan.Output(
        name,
        (int) layer.getNIn(),
        (int) layer.getNOut(),
        layer.hasBias(),
        softmax,
        activation,
        loss(name, layer.getLossFn(), softmax, activation));
  }

  /**
   * Returns the plan of a loss layer.
   *
   * @param outputs number of values of a row that the layer takes and gives
   */
  static LayerPlan.LossOnly read(String name, LossLayer layer, int outputs)
      throws UncompilableException {
    boolean softmax = softmax(layer);
    Activation activation = activation(name, layer);
    return new LayerPlan.LossOnly(
        name, outputs, softmax, activation, loss(name, layer.getLossFn(), softmax, activation));
  }

  private static boolean softmax(BaseLayer layer) {
    return layer.getActivationFn().getClass() == ActivationSoftmax.class;
  }

  private static Activation activation(String name, BaseLayer layer) throws UncompilableException {
    return softmax(layer)
        ? Activation.IDENTITY
        : ActivationReader.read(name, layer.getActivationFn());
  }

  private static Loss loss(
      String name, ILossFunction function, boolean softmax, Activation activation)
      throws UncompilableException {
    Class<?> type = function.getClass();
    if (softmax
        && function instanceof LossMCXENT entropy
        && (type == LossMCXENT.class || type == LossNegativeLogLikelihood.class)
        && entropy.getWeights() == null) {
      return new Loss.SoftmaxCrossEntropy(entropy.getSoftmaxClipEps());
    } else if (!softmax
        && function instanceof LossBinaryXENT entropy
        && type == LossBinaryXENT.class
        && activation.equals(Activation.SIGMOID)
        && entropy.getWeights() == null) {
      return new Loss.SigmoidCrossEntropy(entropy.getClipEps());
    } else if (!softmax
        && function instanceof LossL2 squares
        && (type == LossMSE.class || type == LossL2.class)
        && squares.getWeights() == null) {
      return new Loss.SquaredError(activation, type == LossMSE.class);
    } else if (!softmax
        && function instanceof TargetLossFunction target
        && activation.equals(Activation.IDENTITY)) {
      return new Loss.OfTargets(target.loss());
    }
    throw new UncompilableException(
        "the loss %s with the activation of layer '%s' is not known, only MCXENT or NEGATIVELOGLIKELIHOOD with softmax, XENT with sigmoid, and MSE or L2 without softmax, all without weights of outputs"
            .formatted(type.getSimpleName(), name));
  }
}
