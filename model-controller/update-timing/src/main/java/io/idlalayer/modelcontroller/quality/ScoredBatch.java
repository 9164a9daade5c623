package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.sample.Sample;
import org.jspecify.annotations.Nullable;

/**
 * A batch of samples with the loss and the prediction of each.
 *
 * @param batch the batch that was scored
 * @param losses loss of the served prediction of each sample, NaN if there is no loss; empty if
 *     scoring failed
 * @param predicted predicted class index or value of each sample, NaN if there is no prediction;
 *     empty if scoring failed
 * @param confidence how sure the model was of the classes; without samples if scoring failed
 * @param failure why scoring failed, "" if scoring did not fail
 * @param targets label of each sample, as the losses use it: a target far outside the trained range
 *     is replaced by the nearest end of this range
 * @param rival scores of a second model on these samples; null if there is no second model
 * @param experts scores of the experts whose mean is the prediction of the model; null if the model
 *     is only a network
 * @param withoutContext scores of the same model without the contexts of the samples; null if the
 *     samples have no contexts
 */
public record ScoredBatch(
    ScoringBatch batch,
    float[] losses,
    double[] predicted,
    Confidence confidence,
    String failure,
    double[] targets,
    @Nullable Rival rival,
    @Nullable ExpertScores experts,
    @Nullable ScoredBatch withoutContext) {
  /**
   * The scores of a second model on a batch, in the order of its samples.
   *
   * @param comparison number of the comparison for which the scores are
   * @param model number of the model with which the second model is compared
   */
  public record Rival(long comparison, long model, float[] losses, double[] predicted) {}

  /** Returns the scores of a model, without a rival. */
  public static ScoredBatch of(
      ScoringBatch batch, float[] losses, double[] predicted, Confidence confidence) {
    double[] labels = batch.samples().stream().mapToDouble(Sample::label).toArray();
    return new ScoredBatch(batch, losses, predicted, confidence, "", labels, null, null, null);
  }

  /** Returns the scores of a model that does not report its confidence. */
  public static ScoredBatch of(ScoringBatch batch, float[] losses, double[] predicted) {
    return of(batch, losses, predicted, Confidence.unknown(losses.length));
  }

  /** Returns the result for a batch whose scoring failed. */
  public static ScoredBatch failed(ScoringBatch batch, String why) {
    return new ScoredBatch(
        batch,
        new float[0],
        new double[0],
        Confidence.unknown(0),
        why,
        new double[0],
        null,
        null,
        null);
  }

  /**
   * Returns this batch with other label values, namely the values for which the losses were
   * computed.
   */
  public ScoredBatch counting(double[] labels) {
    return new ScoredBatch(
        batch, losses, predicted, confidence, failure, labels, rival, experts, withoutContext);
  }

  /** Returns this batch together with the scores of a second model. */
  public ScoredBatch beside(Rival other) {
    return new ScoredBatch(
        batch, losses, predicted, confidence, failure, targets, other, experts, withoutContext);
  }

  /** Returns this batch together with the scores of the experts. */
  public ScoredBatch by(ExpertScores scores) {
    return new ScoredBatch(
        batch, losses, predicted, confidence, failure, targets, rival, scores, withoutContext);
  }

  /** Returns this batch together with the scores of the same model without contexts. */
  public ScoredBatch besideWithoutContext(ScoredBatch other) {
    return new ScoredBatch(
        batch, losses, predicted, confidence, failure, targets, rival, experts, other);
  }

  /**
   * Returns the losses of the network alone, which training can reduce. If the model has no other
   * experts, these are the losses of the model.
   */
  public float[] networkLosses() {
    return experts == null ? losses : experts.networkLosses();
  }

  /** Returns the predicted target, or the index of the most probable class. */
  public static double predicted(double[] prediction) {
    return prediction.length == 1 ? prediction[0] : mostProbable(prediction);
  }

  /**
   * Returns the index of the most probable class; if several classes are equally probable, the
   * lowest index.
   */
  public static int mostProbable(double[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      if (probabilities[i] > probabilities[best]) {
        best = i;
      }
    }
    return best;
  }

  public long[] sampleIds() {
    return batch.sampleIds();
  }
}
