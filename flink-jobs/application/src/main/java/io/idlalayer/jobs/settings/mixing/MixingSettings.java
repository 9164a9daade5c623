package io.idlalayer.jobs.settings.mixing;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Whether and how the partitions of an application learn one model together.
 *
 * @param waitSeconds longest time in seconds that a round of mixing waits for a learner, from the
 *     round's first contribution on; above 0, or {@link #AUTOMATIC}
 * @param partitionBy name of the id feature by whose ids events are assigned to partitions, so that
 *     each row of the feature's table is in only one partition; null if events are not assigned by
 *     an id feature
 */
public record MixingSettings(Action action, double waitSeconds, @Nullable String partitionBy)
    implements Serializable {
  /** Value of {@code waitSeconds} with which a round waits twice as long as the median round. */
  public static final double AUTOMATIC = 0;

  /** Largest allowed value of {@code waitSeconds}. */
  public static final double LONGEST_WAIT_SECONDS = 60;

  /** The settings with which each partition has a separate model. */
  public static final MixingSettings NONE = new MixingSettings(Action.OFF, AUTOMATIC, null);

  /** What happens to the models of the partitions. */
  public enum Action {
    /** Each partition has a separate model. */
    OFF,
    /** The progress of all partitions is averaged into one model. */
    AVERAGE
  }

  /** Creates settings with which events are not assigned to partitions by an id feature. */
  public MixingSettings(Action action, double waitSeconds) {
    this(action, waitSeconds, null);
  }

  /** Returns whether the partitions learn one model together. */
  public boolean on() {
    return action != Action.OFF;
  }
}
