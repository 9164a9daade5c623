package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.metrics.ClassAnswer;
import java.util.Arrays;
import java.util.List;

/**
 * How sure a model was of its predicted classes, in the order of the samples.
 *
 * @param probabilities for each sample, the probability of the second class if there are two
 *     classes, and of the predicted class if there are more; NaN if it is unknown
 * @param ranks for each sample, the number of classes to which the model gave a higher probability
 *     than to the label; {@link ClassAnswer#NONE} if it is unknown
 * @param classes for each sample, the probability of each class, or only the probability of the
 *     label if there are more than {@link PrequentialSummary#MOST_CLASSES} classes; empty if they
 *     are unknown
 */
public record Confidence(double[] probabilities, int[] ranks, double[][] classes) {
  /** Returns the confidence of a model that reports no confidence, or that predicts targets. */
  public static Confidence unknown(int samples) {
    double[] probabilities = new double[samples];
    int[] ranks = new int[samples];
    Arrays.fill(probabilities, Double.NaN);
    Arrays.fill(ranks, ClassAnswer.NONE);
    return new Confidence(probabilities, ranks, new double[samples][0]);
  }

  /**
   * Returns the confidence of predictions.
   *
   * @param labelled the samples
   * @param predictions for each sample the probabilities of the classes, or one target
   */
  public static Confidence of(List<Sample> labelled, double[][] predictions) {
    Confidence all = unknown(predictions.length);
    for (int i = 0; i < predictions.length; i++) {
      double[] classes = predictions[i];
      if (classes.length > 1) {
        int named = classes.length == 2 ? 1 : ScoredBatch.mostProbable(classes);
        all.probabilities[i] = probability(classes[named]);
        int label = (int) labelled.get(i).label();
        all.ranks[i] = rank(classes, label);
        all.classes[i] = told(classes, label);
      }
    }
    return all;
  }

  private static double[] told(double[] classes, int label) {
    return classes.length <= PrequentialSummary.MOST_CLASSES
        ? classes
        : new double[] {classes[label]};
  }

  /** Returns a probability of at most 1. The sum of rounded numbers can be a little more than 1. */
  private static double probability(double value) {
    return Double.isFinite(value) ? Math.max(0, Math.min(1, value)) : Double.NaN;
  }

  /**
   * Returns the rank of a class. If classes are equally probable, the class with the lowest number
   * comes first.
   */
  private static int rank(double[] classes, int label) {
    double own = classes[label];
    int rank = 0;
    for (int i = 0; i < classes.length; i++) {
      if (!Double.isFinite(classes[i])) {
        return ClassAnswer.NONE;
      }
      rank += classes[i] > own || (classes[i] == own && i < label) ? 1 : 0;
    }
    return rank;
  }
}
