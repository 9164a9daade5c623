package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * The metadata of a stored sample: everything except its payload.
 *
 * @param identity identity of the sample
 * @param lifecycle its lifecycle
 * @param measures its measures
 */
public record SampleMetadata(
    SampleIdentity identity, SampleLifecycle lifecycle, Measures measures) {
  /**
   * Returns the metadata of a sample that was never trained.
   *
   * @param frequency how often the content had arrived with this sample, at least 1
   * @param arrivedAtMillis epoch milliseconds
   */
  public static SampleMetadata newborn(
      SampleIdentity identity, int frequency, long arrivedAtMillis) {
    return new SampleMetadata(
        identity, SampleLifecycle.newborn(frequency, arrivedAtMillis), Measures.NONE);
  }

  public LifeStage stage() {
    return lifecycle.stage();
  }

  /** Returns whether the sample has a label, so that it can be trained. */
  public boolean labeled() {
    return identity.labeled();
  }

  /** Returns this metadata with the number of times that the content has arrived by now. */
  public SampleMetadata arrived(int frequency) {
    return new SampleMetadata(identity, lifecycle.arrived(frequency), measures);
  }

  /** Returns this metadata after an update trained and evaluated the sample. */
  public SampleMetadata evaluated(LifeStage next, Measures now, int streak, long updateNumber) {
    return new SampleMetadata(identity, lifecycle.evaluated(next, streak, updateNumber), now);
  }

  /**
   * Returns this metadata in another stage, without a training, because the model knew the sample
   * already.
   */
  public SampleMetadata passedOver(LifeStage next) {
    return new SampleMetadata(identity, lifecycle.in(next), measures);
  }

  /** Returns this metadata after the sample aged into another stage with an update. */
  public SampleMetadata aged(LifeStage next, long updateNumber) {
    return new SampleMetadata(identity, lifecycle.aged(next, updateNumber), measures);
  }

  /** Returns this metadata after the model that first trained the sample was given up. */
  public SampleMetadata givenUp() {
    return new SampleMetadata(identity, lifecycle.givenUp(), Measures.NONE);
  }

  /** Returns this metadata with another source of the label. */
  public SampleMetadata with(LabelSource source) {
    return new SampleMetadata(identity.with(source), lifecycle, measures);
  }

  /**
   * Returns this metadata after the label was taken back: in stage Newborn, waiting for another
   * label.
   *
   * @param nowMillis epoch milliseconds
   */
  public SampleMetadata retracted(long nowMillis) {
    return new SampleMetadata(identity.retracted(), lifecycle.retracted(nowMillis), Measures.NONE);
  }
}
