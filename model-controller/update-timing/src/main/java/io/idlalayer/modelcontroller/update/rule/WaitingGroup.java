package io.idlalayer.modelcontroller.update.rule;

/**
 * The number and the arrival times of the samples that wait for the next update. Seconds count from
 * the oldest arrival, so differences keep full precision. Immutable.
 *
 * @param count number of samples, s
 * @param sumSeconds sum of their arrival times, in seconds
 * @param newestSeconds arrival time of the newest sample, in seconds
 */
public record WaitingGroup(int count, double sumSeconds, double newestSeconds) {
  /** The group without samples. */
  public static final WaitingGroup EMPTY = new WaitingGroup(0, 0, 0);

  /** Returns this group after {@code more} arrivals at one time. */
  public WaitingGroup plus(double seconds, int more) {
    return new WaitingGroup(count + more, sumSeconds + more * seconds, seconds);
  }

  /**
   * Returns the time at which the waiting W of the group reaches a limit, if nothing else arrives;
   * in seconds after its oldest arrival.
   *
   * @param limit limit of W, in sample-seconds
   * @param lambda seconds that one more sample adds to a training
   */
  public double areaReachedSeconds(double limit, double lambda) {
    double s = count;
    return (limit + sumSeconds - lambda * s * (s - 1)) / s;
  }

  /**
   * Returns the waiting W of the group at a time in seconds after its oldest arrival, in
   * sample-seconds.
   */
  public double area(double nowSeconds, double lambda) {
    double s = count;
    return s * nowSeconds - sumSeconds + lambda * s * (s - 1);
  }
}
