package io.idlalayer.jobs.learner.publish;

/**
 * When the next accepted model may be published. With {@code publishing.every} it waits until so
 * much time has passed since the publication before; the next accepted one takes its place. A model
 * that is mixed with others may have to wait for a version that contains the one before. Confined
 * to one thread.
 */
public final class PublicationPace {
  private final long everyMillis;
  private long dueAtMillis = Long.MIN_VALUE;
  private long pausedUntilMillis = Long.MIN_VALUE;

  /**
   * @param everySeconds least time between two publications, at least 0
   */
  PublicationPace(double everySeconds) {
    everyMillis = Math.round(everySeconds * 1e3);
  }

  /** Records that a model is published. */
  void published(long nowMillis) {
    dueAtMillis = nowMillis + everyMillis;
  }

  /**
   * Lets accepted models wait until a given time; one that is over ends the wait.
   *
   * @param untilMillis milliseconds of the learner's clock
   */
  public void pause(long untilMillis) {
    pausedUntilMillis = untilMillis;
  }

  /** Returns when the next accepted model may be published, in milliseconds of the same clock. */
  long dueMillis() {
    return Math.max(dueAtMillis, pausedUntilMillis);
  }
}
