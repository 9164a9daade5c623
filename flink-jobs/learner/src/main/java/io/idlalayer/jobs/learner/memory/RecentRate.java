package io.idlalayer.jobs.learner.memory;

/**
 * How often something happens in each second, in about the last ten looks. Updates may be minutes
 * apart, so that a single look says little.
 */
public final class RecentRate {
  /** Weight of what came before, at each look. */
  public static final double KEEP = 0.9;

  private double count;
  private double seconds;

  /**
   * Adds what has happened since the last look.
   *
   * @param passedSeconds time since then, above 0
   */
  public void add(double happened, double passedSeconds) {
    count = KEEP * count + happened;
    seconds = KEEP * seconds + passedSeconds;
  }

  /** Returns the rate; 0 before the first look. */
  public double perSecond() {
    return seconds == 0 ? 0 : count / seconds;
  }
}
