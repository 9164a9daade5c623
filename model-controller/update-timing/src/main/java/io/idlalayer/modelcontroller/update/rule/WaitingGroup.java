package io.idlalayer.modelcontroller.update.rule;

/**
 * The samples that wait for the next update. Seconds count from the oldest arrival, so differences
 * keep full precision. Immutable.
 *
 * @param count samples, s
 * @param sumSeconds sum of their arrival times
 * @param newestSeconds arrival time of the newest
 */
public record WaitingGroup(int count, double sumSeconds, double newestSeconds) {
  /** Nothing waits. */
  public static final WaitingGroup EMPTY = new WaitingGroup(0, 0, 0);

  /** Returns this group after {@code more} arrivals at one time. */
  public WaitingGroup plus(double seconds, int more) {
    return new WaitingGroup(count + more, sumSeconds + more * seconds, seconds);
  }

  /**
   * Returns when the waiting W of the group reaches a limit, if nothing else arrives.
   *
   * @param limit in sample-seconds
   * @param lambda seconds per sample
   */
  public double areaReachedSeconds(double limit, double lambda) {
    double s = count;
    return (limit + sumSeconds - lambda * s * (s - 1)) / s;
  }

  /** Returns the waiting W of the group at a time, in sample-seconds. */
  public double area(double nowSeconds, double lambda) {
    double s = count;
    return s * nowSeconds - sumSeconds + lambda * s * (s - 1);
  }
}
