package io.idlalayer.modelcontroller.quality.metrics;

/**
 * The answers to one classified sample. Classes are numbers from 0.
 *
 * @param label class of the sample
 * @param predicted predicted class, {@link #NONE} if there is none
 * @param noChange class that the no-change reference predicted, or {@link #NONE}
 * @param majority class that the majority reference predicted, or {@link #NONE}
 * @param logLoss -ln of the probability of the label, in nats; finite
 * @param probability probability of the second class if there are two classes, and of the predicted
 *     class if there are more, 0 to 1; NaN if it is unknown
 * @param rank number of classes to which the model gave a higher probability than to the label;
 *     {@link #NONE} if it is unknown
 * @param weight how many samples this one counts for, at least 0
 */
public record ClassAnswer(
    int label,
    int predicted,
    int noChange,
    int majority,
    double logLoss,
    double probability,
    int rank,
    double weight) {
  /** Stands for a class that was not predicted, and for a rank that is unknown. */
  public static final int NONE = -1;

  /**
   * Returns this answer after a change of the classes. The class of the label must still exist.
   * Predicted classes that no longer exist count as not predicted, and the probability becomes
   * unknown if it would belong to another class.
   */
  public ClassAnswer changed(ClassNumbers numbers) {
    return new ClassAnswer(
        numbers.of(label),
        numbers.of(predicted),
        numbers.of(noChange),
        numbers.of(majority),
        logLoss,
        numbers.sameScores() ? probability : Double.NaN,
        rank,
        weight);
  }

  public ClassAnswer {
    if (label < 0) {
      throw new IllegalArgumentException("label is %d; classes begin with 0".formatted(label));
    }
    if (!Double.isFinite(logLoss)) {
      throw new IllegalArgumentException("logLoss is %s; it must be finite".formatted(logLoss));
    }
    if (probability < 0 || probability > 1) {
      throw new IllegalArgumentException(
          "probability is %s; it must be 0 to 1, or NaN".formatted(probability));
    }
    Weights.check(weight);
  }
}
