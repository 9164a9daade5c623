package io.idlalayer.jobs.learner.memory;

/**
 * The number of events per second, over about the last ten measurements. Updates can be minutes
 * apart, so a single measurement is not enough.
 */
public final class RecentRate {
  /** Weight of earlier measurements, relative to a new measurement. */
  public static final double KEEP = 0.9;

  private double count;
  private double seconds;

  /**
   * Adds the number of events since the last measurement.
   *
   * @param passedSeconds time since the last measurement, above 0
   */
  public void add(double happened, double passedSeconds) {
    count = KEEP * count + happened;
    seconds = KEEP * seconds + passedSeconds;
  }

  /** Returns the rate; 0 before the first measurement. */
  public double perSecond() {
    return seconds == 0 ? 0 : count / seconds;
  }
}
