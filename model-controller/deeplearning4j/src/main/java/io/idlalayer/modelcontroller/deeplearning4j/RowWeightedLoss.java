package io.idlalayer.modelcontroller.deeplearning4j;

import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.ILossFunction;

/**
 * A loss function whose rows carry weights. It stands in for the network's own while one mini-batch
 * is fitted and never gets into a saved configuration.
 *
 * <p>DL4J's label mask cannot do this: it also multiplies the output layer's pre-activations, which
 * is right for zeros and ones only, and it refuses a mask of one row.
 */
final class RowWeightedLoss implements ILossFunction {
  private static final long serialVersionUID = 1L;

  private final ILossFunction loss;
  private final transient INDArray weights;

  private RowWeightedLoss(ILossFunction loss, INDArray weights) {
    this.loss = loss;
    this.weights = weights;
  }

  /** Trains a network on one mini-batch. */
  @FunctionalInterface
  interface Step {
    void fit() throws InterruptedException;
  }

  /**
   * Runs a training step in which row i has weight {@code weights[i]}.
   *
   * @param output output layer or loss layer of the network that the step fits
   */
  static void fit(FeedForwardLayer output, float[] weights, Step step) throws InterruptedException {
    ILossFunction own = loss(output);
    try (INDArray column = Nd4j.create(weights, new long[] {weights.length, 1}, 'c')) {
      setLoss(output, new RowWeightedLoss(own, column));
      step.fit();
    } finally {
      setLoss(output, own);
    }
  }

  private static ILossFunction loss(FeedForwardLayer output) {
    return output instanceof LossLayer only
        ? only.getLossFn()
        : ((BaseOutputLayer) output).getLossFn();
  }

  private static void setLoss(FeedForwardLayer output, ILossFunction loss) {
    if (output instanceof LossLayer only) {
      only.setLossFn(loss);
    } else {
      ((BaseOutputLayer) output).setLossFn(loss);
    }
  }

  @Override
  public double computeScore(
      INDArray labels,
      INDArray preOutput,
      IActivation activation,
      @Nullable INDArray mask,
      boolean average) {
    double sum = computeScoreArray(labels, preOutput, activation, mask).sumNumber().doubleValue();
    return average ? sum / labels.size(0) : sum;
  }

  @Override
  public INDArray computeScoreArray(
      INDArray labels, INDArray preOutput, IActivation activation, @Nullable INDArray mask) {
    INDArray scores = loss.computeScoreArray(labels, preOutput, activation, mask);
    return scores.reshape(weights.shape()).muli(weights);
  }

  @Override
  public INDArray computeGradient(
      INDArray labels, INDArray preOutput, IActivation activation, @Nullable INDArray mask) {
    return loss.computeGradient(labels, preOutput, activation, mask).muliColumnVector(weights);
  }

  @Override
  public Pair<Double, INDArray> computeGradientAndScore(
      INDArray labels,
      INDArray preOutput,
      IActivation activation,
      @Nullable INDArray mask,
      boolean average) {
    // The score first: a gradient may reuse the array of pre-activations.
    double score = computeScore(labels, preOutput.dup(), activation, mask, average);
    return Pair.of(score, computeGradient(labels, preOutput, activation, mask));
  }

  @Override
  public String name() {
    return "RowWeighted(" + loss.name() + ")";
  }
}
