package io.idlalayer.datacontroller.stage;

/**
 * How often the content has arrived is the score: 0.5 for once, 1 for more often. With the borders
 * of {@link FixedClassifier} what came once is Mature and what came again is Preserve; only age and
 * noise make a sample Discard.
 */
final class FrequencyScorer implements StageScorer {
  private static final double ONCE = 0.5;
  private static final double AGAIN = 1;

  @Override
  public double score(double[] facts) {
    return facts[SampleFact.FREQUENCY.at()] > 1 ? AGAIN : ONCE;
  }
}
