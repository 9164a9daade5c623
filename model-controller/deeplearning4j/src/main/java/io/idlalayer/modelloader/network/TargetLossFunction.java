package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.artifact.TargetLoss;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationIdentity;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.ILossFunction;

/**
 * A {@link TargetLoss} of the outputs of a network in Deeplearning4j: the sum over the outputs of a
 * row, computed in double precision. Deeplearning4j has no quantile and no Huber loss, and divides
 * its others by the number of outputs, so that its networks name this class.
 */
public final class TargetLossFunction implements ILossFunction {
  private static final long serialVersionUID = 1L;

  private TargetLoss.Kind kind = TargetLoss.Kind.SQUARED;
  private double parameter;

  /** Called by Deeplearning4j, which sets the loss afterwards. */
  public TargetLossFunction() {}

  public TargetLossFunction(TargetLoss loss) {
    kind = loss.kind();
    parameter = loss.parameter();
  }

  public TargetLoss.Kind getKind() {
    return kind;
  }

  public void setKind(TargetLoss.Kind kind) {
    this.kind = kind;
  }

  public double getParameter() {
    return parameter;
  }

  public void setParameter(double parameter) {
    this.parameter = parameter;
  }

  /** Returns the loss of one output. */
  public TargetLoss loss() {
    return new TargetLoss(kind, parameter);
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
    check(activation, mask);
    TargetLoss loss = loss();
    INDArray scores = Nd4j.create(preOutput.dataType(), preOutput.size(0), 1);
    for (long row = 0; row < preOutput.size(0); row++) {
      double sum = 0;
      for (long i = 0; i < preOutput.size(1); i++) {
        sum += loss.loss(loss.prediction(preOutput.getDouble(row, i)), labels.getDouble(row, i));
      }
      scores.putScalar(row, 0, sum);
    }
    return scores;
  }

  @Override
  public INDArray computeGradient(
      INDArray labels, INDArray preOutput, IActivation activation, @Nullable INDArray mask) {
    check(activation, mask);
    TargetLoss loss = loss();
    INDArray slopes = Nd4j.create(preOutput.dataType(), preOutput.shape());
    for (long row = 0; row < preOutput.size(0); row++) {
      for (long i = 0; i < preOutput.size(1); i++) {
        double predicted = loss.prediction(preOutput.getDouble(row, i));
        slopes.putScalar(row, i, loss.slope(predicted, labels.getDouble(row, i)));
      }
    }
    return slopes;
  }

  @Override
  public Pair<Double, INDArray> computeGradientAndScore(
      INDArray labels,
      INDArray preOutput,
      IActivation activation,
      @Nullable INDArray mask,
      boolean average) {
    return Pair.of(
        computeScore(labels, preOutput, activation, mask, average),
        computeGradient(labels, preOutput, activation, mask));
  }

  private static void check(IActivation activation, @Nullable INDArray mask) {
    if (!(activation instanceof ActivationIdentity) || mask != null) {
      throw new IllegalArgumentException(
          "a loss of targets takes outputs without activation and mask, not "
              + activation
              + (mask == null ? "" : " with a mask"));
    }
  }

  @Override
  public String name() {
    return toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TargetLossFunction that && loss().equals(that.loss());
  }

  @Override
  public int hashCode() {
    return loss().hashCode();
  }

  @Override
  public String toString() {
    return "TargetLossFunction(kind=" + kind + ", parameter=" + parameter + ")";
  }
}
