package io.idlalayer.modelcontroller.gate;

import io.idlalayer.modelcontroller.quality.ScoredBatch;

/**
 * Compares a new model with the model that it would replace, on samples on which neither model was
 * trained. Confined to one thread.
 *
 * <p>Arriving samples are added one by one, and callers read the verdict after each sample. The
 * number of trusted samples (events of a file, with labels that are known to be right) is fixed,
 * and the verdict stays open until all of them were compared, so their order makes no difference.
 * In both cases the verdict is "worse" only if chance can hardly explain the difference, see {@link
 * #FALSE_ALARM}.
 */
public final class ModelComparison {
  /**
   * Probability that a comparison calls a model worse although it is not. A model is not worse if
   * its metric is worse by at most the margin, on average over the distribution of the samples.
   */
  public static final double FALSE_ALARM = 1e-5;

  private final GateSettings settings;
  private final int trusted;
  private final BettingTest test;

  /**
   * @param trusted number of trusted samples on which the models are compared; 0 if the models are
   *     compared on arriving samples
   */
  public ModelComparison(GateSettings settings, int trusted) {
    this.settings = settings;
    this.trusted = trusted;
    test = new BettingTest(settings.margin());
  }

  /** Adds samples that both models have scored; ignores a batch whose scoring failed. */
  public void add(ScoredBatch batch) {
    for (double each : differences(settings.metric(), batch)) {
      test.add(each);
    }
  }

  /**
   * Adds the difference of one sample that both models have scored.
   *
   * @param difference in [-1, 1], above 0 if the new model is worse
   */
  public void add(double difference) {
    test.add(difference);
  }

  /**
   * Returns by how much the new model is worse on each sample of a batch, in [-1, 1]; empty if
   * scoring failed, or if only one model has scored the batch.
   */
  public static double[] differences(Metric metric, ScoredBatch batch) {
    ScoredBatch.Rival rival = batch.rival();
    if (rival == null || !batch.failure().isEmpty()) {
      return new double[0];
    }
    double[] differences = new double[batch.losses().length];
    for (int i = 0; i < differences.length; i++) {
      double label = batch.targets()[i];
      differences[i] =
          metric.difference(
              scored(batch.losses()[i], batch.predicted()[i], label),
              scored(rival.losses()[i], rival.predicted()[i], label));
    }
    return differences;
  }

  private static Metric.Scored scored(float loss, double predicted, double label) {
    return new Metric.Scored(loss, predicted == label, predicted - label);
  }

  /** The present judgement about the model. */
  public enum Verdict {
    /**
     * No decision yet: there are too few samples, or the model looks worse but chance could explain
     * the difference. Further samples can decide.
     */
    OPEN,
    /**
     * No decision: the model looks worse but chance could explain the difference, and there are no
     * further samples.
     */
    DOUBTFUL,
    /** The new model is at most by the margin worse than the other model. */
    GOOD,
    /** The new model is worse than the other model by more than the margin. */
    WORSE
  }

  /**
   * Returns the present verdict. The verdict on a model can change from good to worse when more
   * samples were compared.
   */
  public Verdict verdict() {
    if (test.count() < trusted) {
      return Verdict.OPEN;
    }
    if (test.isAbove(FALSE_ALARM)) {
      return Verdict.WORSE;
    }
    boolean enough = trusted > 0 || test.count() >= settings.samples();
    if (enough && test.mean() <= settings.margin()) {
      return Verdict.GOOD;
    }
    return trusted > 0 ? Verdict.DOUBTFUL : Verdict.OPEN;
  }

  /** Returns the number of samples compared so far. */
  public long samples() {
    return test.count();
  }

  /**
   * Returns how much worse the new model is than the other model, in units of the metric; below 0
   * if the new model is better.
   */
  public double difference() {
    return test.mean();
  }
}
