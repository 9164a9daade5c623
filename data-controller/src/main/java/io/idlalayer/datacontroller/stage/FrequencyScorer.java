package io.idlalayer.datacontroller.stage;

/**
 * Scores a sample by how often its content has arrived: 0.5 if it came once, 1 if it came more
 * often. With the borders of {@link FixedClassifier} content that came once is Mature, and content
 * that came again is Preserve; only age and noise make a sample Discard.
 */
final class FrequencyScorer implements StageScorer {
  private static final double ONCE = 0.5;
  private static final double AGAIN = 1;

  @Override
  public double score(double[] facts) {
    return facts[SampleFact.FREQUENCY.at()] > 1 ? AGAIN : ONCE;
  }
}
