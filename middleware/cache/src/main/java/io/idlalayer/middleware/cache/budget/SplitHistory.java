package io.idlalayer.middleware.cache.budget;

import java.util.EnumMap;
import java.util.Map;

/**
 * What was moved before. Immutable.
 *
 * @param lastGrew whether a use grew, true, or shrank, false, when it last changed; a use that
 *     never changed is not in it
 * @param secondsSinceTurn time since a use last changed in the other direction than before;
 *     infinite if none ever did
 * @param moveSeconds what a move costs, as the last one did; 0 if there was none
 */
public record SplitHistory(
    Map<FastUse, Boolean> lastGrew, double secondsSinceTurn, double moveSeconds) {
  /** The history before the first move. */
  public static final SplitHistory NONE = new SplitHistory(Map.of(), Double.POSITIVE_INFINITY, 0);

  public SplitHistory {
    lastGrew = Map.copyOf(lastGrew);
  }

  /** Returns whether a move changes a use in the other direction than before. */
  boolean turns(FastSplit from, FastSplit to) {
    return lastGrew.entrySet().stream()
        .anyMatch(
            each -> {
              int change = Long.compare(to.of(each.getKey()), from.of(each.getKey()));
              return change != 0 && each.getValue() != change > 0;
            });
  }

  /** Returns the history at a later time. */
  public SplitHistory after(double seconds) {
    return new SplitHistory(lastGrew, secondsSinceTurn + seconds, moveSeconds);
  }

  /**
   * Returns the history after a move.
   *
   * @param seconds what the move cost
   */
  public SplitHistory moved(FastSplit from, FastSplit to, double seconds) {
    Map<FastUse, Boolean> grew = new EnumMap<>(FastUse.class);
    grew.putAll(lastGrew);
    for (FastUse use : FastUse.values()) {
      if (to.of(use) != from.of(use)) {
        grew.put(use, to.of(use) > from.of(use));
      }
    }
    return new SplitHistory(grew, turns(from, to) ? 0 : secondsSinceTurn, seconds);
  }
}
