package io.idlalayer.jobs.events;

/**
 * One update in numbers. Fields that are not known yet are 0.
 *
 * @param number counts updates from 1, without gaps along the lineage
 * @param version published model version
 * @param parentVersion version it was trained from, 0 for none
 * @param publishedAtMillis when the pointer moved
 */
public record UpdateView(
    long number,
    long version,
    long parentVersion,
    long firedAtMillis,
    String rule,
    String reason,
    double regretSampleSeconds,
    double thresholdSampleSeconds,
    int newSamples,
    int replayedSamples,
    double trainSeconds,
    double predictedTrainSeconds,
    double meanLossBefore,
    double meanLossAfter,
    long publishedAtMillis,
    Basis basis) {

  public UpdateView {
    // Events and state of an earlier program have none.
    basis = basis == null ? Basis.UNKNOWN : basis;
  }

  /**
   * What the decision rested on.
   *
   * @param certifiedRatio the schedule so far costs at most this many times the best possible; 0 if
   *     unknown
   * @param predictedTrainSecondsLow lower end of the 95 % interval of the prediction
   * @param predictedTrainSecondsHigh upper end
   * @param secondsPerSample lambda as estimated when it fired
   * @param fixedSeconds eps' as estimated when it fired, replayed samples included
   * @param weight w: samples that wait one second outweigh one second of training
   * @param urgency by how much waiting was charged more because quality was being lost
   */
  public record Basis(
      double certifiedRatio,
      double predictedTrainSecondsLow,
      double predictedTrainSecondsHigh,
      double secondsPerSample,
      double fixedSeconds,
      double weight,
      double urgency) {
    /** Nothing known. */
    public static final Basis UNKNOWN = new Basis(0, 0, 0, 0, 0, 0, 1);
  }

  /** The same, trained. */
  public UpdateView trained(double seconds, double lossBefore, double lossAfter) {
    return new UpdateView(
        number,
        version,
        parentVersion,
        firedAtMillis,
        rule,
        reason,
        regretSampleSeconds,
        thresholdSampleSeconds,
        newSamples,
        replayedSamples,
        seconds,
        predictedTrainSeconds,
        lossBefore,
        lossAfter,
        publishedAtMillis,
        basis);
  }

  /** The same, published. */
  public UpdateView published(long asVersion, long atMillis) {
    return new UpdateView(
        number,
        asVersion,
        parentVersion,
        firedAtMillis,
        rule,
        reason,
        regretSampleSeconds,
        thresholdSampleSeconds,
        newSamples,
        replayedSamples,
        trainSeconds,
        predictedTrainSeconds,
        meanLossBefore,
        meanLossAfter,
        atMillis,
        basis);
  }

  /** The same, resting on this. */
  public UpdateView with(Basis other) {
    return new UpdateView(
        number,
        version,
        parentVersion,
        firedAtMillis,
        rule,
        reason,
        regretSampleSeconds,
        thresholdSampleSeconds,
        newSamples,
        replayedSamples,
        trainSeconds,
        predictedTrainSeconds,
        meanLossBefore,
        meanLossAfter,
        publishedAtMillis,
        other);
  }
}
