package io.idlalayer.datacontroller.stage;

import java.util.List;

/** The rank of the contribution is the score. */
public final class ContributionScorer implements StageScorer {
  private static final double[] NO_STRENGTHS = {};

  @Override
  public void observe(double[] meanFacts) {
    // A rank needs no memory.
  }

  @Override
  public void quality(double quality) {
    // A rank needs no feedback.
  }

  @Override
  public double score(double[] facts) {
    return facts[SampleFact.CONTRIBUTION.at()];
  }

  @Override
  public List<String> rules() {
    return List.of();
  }

  @Override
  public double[] strengths() {
    return NO_STRENGTHS;
  }

  @Override
  public byte[] snapshot() {
    return new byte[0];
  }

  @Override
  public void restore(byte[] snapshot) {
    // Nothing to take.
  }
}
