package io.idlalayer.datacontroller.stage;

/**
 * How often the content has arrived is the score: 0 for once, 0.5 for twice, 1 for more often. With
 * the borders of {@link FixedClassifier} what came once is Discard, what came twice Mature, and
 * what came more often Preserve.
 */
public final class FrequencyScorer implements StageScorer {
  private static final double STEP = 0.5;

  @Override
  public double score(double[] facts) {
    return Math.min(1, STEP * (facts[SampleFact.FREQUENCY.at()] - 1));
  }
}
