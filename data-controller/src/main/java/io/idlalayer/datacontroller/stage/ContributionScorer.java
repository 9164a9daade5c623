package io.idlalayer.datacontroller.stage;

/** The rank of the contribution is the score. */
public final class ContributionScorer implements StageScorer {
  @Override
  public double score(double[] facts) {
    return facts[SampleFact.CONTRIBUTION.at()];
  }
}
