package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.LifeStage;

/**
 * The life of a sample so far: stage, arrivals and trainings.
 *
 * @param frequency number of arrivals of its content until its last evaluation, at least 1
 * @param arrivedAtMillis when the sample became Newborn (epoch milliseconds of the operator's
 *     clock)
 * @param trainings number of updates that trained it
 * @param evaluations number of measurements of its contribution
 * @param noiseStreak evaluations in a row with an outlying loss and no gain
 * @param seenInUpdate number of the last update that trained on the sample or aged it; 0 if there
 *     is none
 */
public record SampleLifecycle(
    LifeStage stage,
    int frequency,
    long arrivedAtMillis,
    int trainings,
    int evaluations,
    int noiseStreak,
    int seenInUpdate) {
  /** Returns the lifecycle of a sample that was never trained. */
  public static SampleLifecycle newborn(int frequency, long arrivedAtMillis) {
    return new SampleLifecycle(LifeStage.NEWBORN, frequency, arrivedAtMillis, 0, 0, 0, 0);
  }

  /**
   * Returns this lifecycle with a new number of arrivals of the content, which is never smaller
   * than the present one.
   */
  SampleLifecycle arrived(int arrivals) {
    return new SampleLifecycle(
        stage,
        Math.max(frequency, arrivals),
        arrivedAtMillis,
        trainings,
        evaluations,
        noiseStreak,
        seenInUpdate);
  }

  /** Returns this lifecycle in another stage. */
  SampleLifecycle in(LifeStage next) {
    return new SampleLifecycle(
        next, frequency, arrivedAtMillis, trainings, evaluations, noiseStreak, seenInUpdate);
  }

  /** Returns this lifecycle after an update trained and evaluated the sample. */
  SampleLifecycle evaluated(LifeStage next, int streak, long updateNumber) {
    return new SampleLifecycle(
        next,
        frequency,
        arrivedAtMillis,
        trainings + 1,
        evaluations + 1,
        streak,
        (int) updateNumber);
  }

  /** Returns this lifecycle after the sample aged with an update. */
  SampleLifecycle aged(LifeStage next, long updateNumber) {
    return new SampleLifecycle(
        next, frequency, arrivedAtMillis, trainings, evaluations, noiseStreak, (int) updateNumber);
  }

  /**
   * Returns this lifecycle after the sample was given up: in stage Discard, as if it had never been
   * evaluated, so that it does not train again.
   */
  SampleLifecycle givenUp() {
    return new SampleLifecycle(
        LifeStage.DISCARD, frequency, arrivedAtMillis, trainings, 0, 0, seenInUpdate);
  }

  /**
   * Returns this lifecycle after the label was taken back: in stage Newborn, with nothing measured.
   */
  SampleLifecycle retracted(long nowMillis) {
    return new SampleLifecycle(
        LifeStage.NEWBORN, frequency, nowMillis, trainings, 0, 0, seenInUpdate);
  }
}
