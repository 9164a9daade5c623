package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;

/**
 * What is known of a stored sample besides its payload.
 *
 * @param idHash 64-bit hash of the event's own id, 0 when it has none; joins late labels
 * @param frequency how often the content arrived, at least 1
 * @param evaluations how often its contribution was measured
 * @param trainings how many updates trained on it
 * @param noiseStreak evaluations in a row with an outlying loss and no gain
 * @param seenInUpdate number of the last update that trained on it, or that let it age; 0 for none
 * @param arrivedAtMillis when it became Newborn (epoch milliseconds of the operator's clock)
 * @param payloadBytes size of the encoded sample
 * @param label its label; NaN while it has none, {@link #LABEL_UNKNOWN} if it has one that was not
 *     kept here
 */
public record SampleMetadata(
    ContentHash contentHash,
    long idHash,
    LifeStage stage,
    int frequency,
    Measures measures,
    int evaluations,
    int trainings,
    int noiseStreak,
    int seenInUpdate,
    long arrivedAtMillis,
    int payloadBytes,
    float label) {
  /** The label of samples that were stored before labels were kept with the metadata. */
  public static final float LABEL_UNKNOWN = Float.NEGATIVE_INFINITY;

  /** Whether it can be trained. */
  public boolean labeled() {
    return !Float.isNaN(label);
  }

  /** A sample that was never trained. */
  public static SampleMetadata newborn(
      ContentHash contentHash, long idHash, long arrivedAtMillis, int payloadBytes, float label) {
    return new SampleMetadata(
        contentHash,
        idHash,
        LifeStage.NEWBORN,
        1,
        Measures.NONE,
        0,
        0,
        0,
        0,
        arrivedAtMillis,
        payloadBytes,
        label);
  }

  /** The same, arrived so often. */
  public SampleMetadata withFrequency(int times) {
    return new SampleMetadata(
        contentHash,
        idHash,
        stage,
        times,
        measures,
        evaluations,
        trainings,
        noiseStreak,
        seenInUpdate,
        arrivedAtMillis,
        payloadBytes,
        label);
  }

  /** The same, evaluated once more. */
  public SampleMetadata evaluated(LifeStage next, Measures now, int streak, long updateNumber) {
    return new SampleMetadata(
        contentHash,
        idHash,
        next,
        frequency,
        now,
        evaluations + 1,
        trainings + 1,
        streak,
        (int) updateNumber,
        arrivedAtMillis,
        payloadBytes,
        label);
  }

  /** The same in another stage, with no training. */
  public SampleMetadata passedOver(LifeStage next) {
    return new SampleMetadata(
        contentHash,
        idHash,
        next,
        frequency,
        measures,
        evaluations,
        trainings,
        noiseStreak,
        seenInUpdate,
        arrivedAtMillis,
        payloadBytes,
        label);
  }

  /**
   * The same without its label: a Newborn that waits for one. Its content was that of the labelled
   * sample and is nobody's until then.
   */
  public SampleMetadata retracted() {
    return new SampleMetadata(
        contentHash.complement(),
        idHash,
        LifeStage.NEWBORN,
        frequency,
        Measures.NONE,
        0,
        trainings,
        0,
        seenInUpdate,
        arrivedAtMillis,
        payloadBytes,
        Float.NaN);
  }
}
