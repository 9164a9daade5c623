package io.idlalayer.modelcontroller.gate;

import io.idlalayer.modelcontroller.quality.ScoredBatch;

/**
 * Compares a new model with the one it is to replace, on samples that neither has trained on.
 * Confined to one thread.
 *
 * <p>Arriving samples come one by one, and the verdict is asked for after each. Trusted samples
 * have a fixed number, and the verdict is given when all of them were compared, so their order
 * makes no difference. In both cases a model is called worse only if this is hardly due to chance,
 * see {@link #FALSE_ALARM}.
 */
public final class ModelComparison {
  /**
   * Probability that a comparison calls a model worse although it is not. Not worse means: worse by
   * at most the margin, on average over the distribution of the samples.
   */
  public static final double FALSE_ALARM = 1e-5;

  private final GateSettings settings;
  private final int trusted;
  private final BettingTest test;

  /**
   * @param trusted how many trusted samples are compared; 0 if those are that arrive
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
   * scoring failed, or only one model has scored it.
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
     * Too early to decide: there are too few samples, or the model looks worse, which may be
     * chance, and more samples may decide.
     */
    OPEN,
    /**
     * No decision: the model looks worse, which may be chance, and there are no more samples to
     * decide.
     */
    DOUBTFUL,
    /** The model is as good as the other one, within the margin. */
    GOOD,
    /** The model is worse than the other one, by more than the margin. */
    WORSE
  }

  /** Returns the present verdict. A model that was judged good may later be judged worse. */
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
   * Returns how much worse the new model is than the other one, in units of the metric; below 0 if
   * it is better.
   */
  public double difference() {
    return test.mean();
  }
}
