package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import org.jspecify.annotations.Nullable;

/**
 * The loss of a network's outputs, given the labels, for one row. Each method replaces the outputs
 * before the activation by the gradient of the loss with respect to these outputs. The formulas and
 * the bounds of probabilities come from Deeplearning4j 1.0.0-M2.1, except the gradient of {@link
 * SigmoidCrossEntropy}.
 */
public sealed interface Loss {
  /**
   * Returns the loss of one row, and replaces the outputs by the gradient of the loss.
   *
   * @param values outputs before the activation, replaced by their errors, in {@code [at, at +
   *     width)}
   * @param labels labels of the row, in that range
   * @param activated receives the outputs after the activation, in that range; null if they are not
   *     needed
   */
  double replaceByErrors(
      float[] values, float[] labels, float @Nullable [] activated, int at, int width);

  /**
   * Cross-entropy of the softmax, for classes that exclude each other.
   *
   * @param leastProbability lower bound of probabilities in the loss; the upper bound is 1 minus
   *     this number
   */
  record SoftmaxCrossEntropy(double leastProbability) implements Loss {
    @Override
    public double replaceByErrors(
        float[] values, float[] labels, float @Nullable [] activated, int at, int width) {
      Softmax.apply(values, at, width);
      if (activated != null) {
        System.arraycopy(values, at, activated, at, width);
      }
      double loss = 0;
      for (int i = at; i < at + width; i++) {
        float probability = bounded(values[i], leastProbability);
        loss -= labels[i] == 0 ? 0 * probability : labels[i] * Math.log(probability);
        values[i] -= labels[i];
      }
      return loss;
    }
  }

  /**
   * Cross-entropy of one sigmoid for each output. The gradient is that of the loss without bounds:
   * the output minus the label. Deeplearning4j bounds the probability but not the slope of the
   * sigmoid. Its gradient is therefore 0 where an output is wrong with full confidence, and such a
   * network could not learn after a drift.
   *
   * @param leastProbability lower bound of probabilities in the loss; the upper bound is 1 minus
   *     this number
   */
  record SigmoidCrossEntropy(double leastProbability) implements Loss {
    @Override
    public double replaceByErrors(
        float[] values, float[] labels, float @Nullable [] activated, int at, int width) {
      double loss = 0;
      for (int i = at; i < at + width; i++) {
        float output = Activation.SIGMOID.value(values[i]);
        if (activated != null) {
          activated[i] = output;
        }
        float probability = bounded(output, leastProbability);
        loss -= labels[i] * Math.log(probability) + (1 - labels[i]) * Math.log(1 - probability);
        values[i] = output - labels[i];
      }
      return loss;
    }
  }

  /**
   * Squared error of the outputs.
   *
   * @param mean whether the loss is the mean over the outputs instead of their sum
   */
  record SquaredError(Activation activation, boolean mean) implements Loss {
    @Override
    public double replaceByErrors(
        float[] values, float[] labels, float @Nullable [] activated, int at, int width) {
      int parts = mean ? width : 1;
      double loss = 0;
      for (int i = at; i < at + width; i++) {
        float output = activation.value(values[i]);
        if (activated != null) {
          activated[i] = output;
        }
        float error = output - labels[i];
        loss += (double) error * error / parts;
        values[i] = error * 2 * activation.slope(output) / parts;
      }
      return loss;
    }
  }

  /** A loss of targets, summed over the outputs. */
  record OfTargets(TargetLoss loss) implements Loss {
    @Override
    public double replaceByErrors(
        float[] values, float[] labels, float @Nullable [] activated, int at, int width) {
      double sum = 0;
      for (int i = at; i < at + width; i++) {
        if (activated != null) {
          activated[i] = values[i];
        }
        double predicted = loss.prediction(values[i]);
        sum += loss.loss(predicted, labels[i]);
        values[i] = (float) loss.slope(predicted, labels[i]);
      }
      return sum;
    }
  }

  private static float bounded(float probability, double least) {
    // A comparison with NaN is false, so NaN stays NaN.
    if (probability < least) {
      return (float) least;
    }
    return probability > 1 - least ? (float) (1 - least) : probability;
  }
}
