package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * What is known of a stored sample besides its payload.
 *
 * @param identity which sample it is
 * @param lifecycle what happened to it
 * @param measures what was measured of it
 */
public record SampleMetadata(
    SampleIdentity identity, SampleLifecycle lifecycle, Measures measures) {
  /**
   * A sample that was never trained.
   *
   * @param frequency how often the content arrived, at least 1
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

  /** Whether it can be trained. */
  public boolean labeled() {
    return identity.labeled();
  }

  /** The same after an update trained and evaluated it. */
  public SampleMetadata evaluated(LifeStage next, Measures now, int streak, long updateNumber) {
    return new SampleMetadata(identity, lifecycle.evaluated(next, streak, updateNumber), now);
  }

  /** The same in another stage, with no training. */
  public SampleMetadata passedOver(LifeStage next) {
    return new SampleMetadata(identity, lifecycle.in(next), measures);
  }

  /** The same after an update let it age, into another stage. */
  public SampleMetadata aged(LifeStage next, long updateNumber) {
    return new SampleMetadata(identity, lifecycle.aged(next, updateNumber), measures);
  }

  /** The same after the model was given up that it was the first to train. */
  public SampleMetadata givenUp() {
    return new SampleMetadata(identity, lifecycle.givenUp(), Measures.NONE);
  }

  /** The same without its label: a Newborn that waits for one. */
  public SampleMetadata retracted() {
    return new SampleMetadata(identity.retracted(), lifecycle.retracted(), Measures.NONE);
  }
}
