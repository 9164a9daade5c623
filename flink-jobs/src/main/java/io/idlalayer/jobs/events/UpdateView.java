package io.idlalayer.jobs.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * One update in numbers. Fields that are not known yet are 0.
 *
 * @param number counts updates from 1, without gaps along the lineage
 * @param version published model version
 * @param parentVersion version it was trained from, 0 for none
 * @param publishedAtMillis when the pointer moved
 * @param tensors where tensors were during the training; absent if Deeplearning4j had them all
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
    Basis basis,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable TensorUse tensors) {

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

  /** What a training was like. */
  private record Training(
      double seconds, double lossBefore, double lossAfter, @Nullable TensorUse tensors) {}

  private UpdateView as(long asVersion, long atMillis, Training training, Basis on) {
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
        training.seconds(),
        predictedTrainSeconds,
        training.lossBefore(),
        training.lossAfter(),
        atMillis,
        on,
        training.tensors());
  }

  private Training training() {
    return new Training(trainSeconds, meanLossBefore, meanLossAfter, tensors);
  }

  /** The same, trained. */
  public UpdateView trained(
      double seconds, double lossBefore, double lossAfter, @Nullable TensorUse use) {
    return as(version, publishedAtMillis, new Training(seconds, lossBefore, lossAfter, use), basis);
  }

  /** The same, published. */
  public UpdateView published(long asVersion, long atMillis) {
    return as(asVersion, atMillis, training(), basis);
  }

  /** The same, its tensors placed like this. */
  public UpdateView with(@Nullable TensorUse use) {
    return as(
        version,
        publishedAtMillis,
        new Training(trainSeconds, meanLossBefore, meanLossAfter, use),
        basis);
  }

  /** The same, resting on this. */
  public UpdateView with(Basis other) {
    return as(version, publishedAtMillis, training(), other);
  }
}
