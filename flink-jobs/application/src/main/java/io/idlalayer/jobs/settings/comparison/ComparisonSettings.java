package io.idlalayer.jobs.settings.comparison;

import java.io.Serializable;

/**
 * The settings that decide whether new events also test two older versions of the model: a version
 * that is never replaced, and a version that is replaced at intervals.
 *
 * @param every number of learned events of an interval, at most {@link #MOST}; 0 for no comparison
 */
public record ComparisonSettings(int every) implements Serializable {
  /** Number of learned events of an interval, unless the application file names another number. */
  public static final int DEFAULT_EVERY = 5_000;

  /** Largest number of learned events of an interval. */
  public static final int MOST = 1_000_000_000;

  /** No comparison. */
  public static final ComparisonSettings NONE = new ComparisonSettings(0);

  /** Returns whether there is a comparison. */
  public boolean on() {
    return every > 0;
  }
}
