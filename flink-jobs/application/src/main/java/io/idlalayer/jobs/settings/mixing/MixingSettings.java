package io.idlalayer.jobs.settings.mixing;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Whether and how the partitions of an application learn one model together.
 *
 * @param waitSeconds longest time in seconds that a round of mixing waits for a learner, from its
 *     first contribution on; above 0, or {@link #AUTOMATIC}
 * @param partitionBy name of the id feature by whose ids events are sent to partitions, so that
 *     each row of its table lies in one partition only; null if events are sent by themselves
 */
public record MixingSettings(Action action, double waitSeconds, @Nullable String partitionBy)
    implements Serializable {
  /** Value of {@code waitSeconds} with which a round waits twice as long as the median round. */
  public static final double AUTOMATIC = 0;

  /** Longest time in seconds that a round may wait. */
  public static final double LONGEST_WAIT_SECONDS = 60;

  /** The settings with which each partition has a model of its own. */
  public static final MixingSettings NONE = new MixingSettings(Action.OFF, AUTOMATIC, null);

  /** What happens to the models of the partitions. */
  public enum Action {
    /** Each partition has a model of its own. */
    OFF,
    /** The progress of all partitions is averaged into one model. */
    AVERAGE
  }

  /** Creates settings with which events are sent by themselves. */
  public MixingSettings(Action action, double waitSeconds) {
    this(action, waitSeconds, null);
  }

  /** Returns whether the partitions learn one model together. */
  public boolean on() {
    return action != Action.OFF;
  }
}
