package io.idlalayer.datacontroller.stage;

/** Scores a sample by the rank of its contribution among the samples of its update. */
final class ContributionScorer implements StageScorer {
  @Override
  public double score(double[] facts) {
    return facts[SampleFact.CONTRIBUTION.at()];
  }
}
