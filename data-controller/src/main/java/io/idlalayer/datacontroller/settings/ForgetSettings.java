package io.idlalayer.datacontroller.settings;

import java.io.Serializable;

/**
 * The settings that say whether a model can forget withdrawn samples, and within what time.
 *
 * @param withinMillis time after a request from which on no published version has learned from the
 *     sample to forget, {@link #LEAST_MILLIS} to {@link #MOST_MILLIS}; 0 if samples cannot be
 *     forgotten
 * @param anchors largest number of earlier models that are kept for retraining, {@link
 *     #FEWEST_ANCHORS} to {@link #MOST_ANCHORS}
 */
public record ForgetSettings(long withinMillis, int anchors) implements Serializable {
  /** Shortest time, a second. */
  public static final long LEAST_MILLIS = 1_000;

  /** Longest time, 30 days. */
  public static final long MOST_MILLIS = 30L * 24 * 3_600 * 1_000;

  /** Default of the time, a day. */
  public static final long DEFAULT_MILLIS = 24L * 3_600 * 1_000;

  public static final int FEWEST_ANCHORS = 2;
  public static final int MOST_ANCHORS = 64;
  public static final int DEFAULT_ANCHORS = 8;

  /** The settings with which no sample can be forgotten. */
  public static final ForgetSettings NONE = new ForgetSettings(0, DEFAULT_ANCHORS);

  /** Returns whether samples can be forgotten. */
  public boolean on() {
    return withinMillis > 0;
  }
}
