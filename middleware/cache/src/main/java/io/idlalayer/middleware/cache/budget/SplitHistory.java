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
 * @param changeSeconds what a change of each use costs, as the last one did; a use that never
 *     changed is not in it
 */
public record SplitHistory(
    Map<FastUse, Boolean> lastGrew, double secondsSinceTurn, Map<FastUse, Double> changeSeconds) {
  /** The history before the first move. */
  public static final SplitHistory NONE =
      new SplitHistory(Map.of(), Double.POSITIVE_INFINITY, Map.of());

  public SplitHistory {
    lastGrew = Map.copyOf(lastGrew);
    changeSeconds = Map.copyOf(changeSeconds);
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
    return new SplitHistory(lastGrew, secondsSinceTurn + seconds, changeSeconds);
  }

  /** Returns what a move costs, by what the last changes of the same uses cost. */
  double moveSeconds(FastSplit from, FastSplit to) {
    return changeSeconds.entrySet().stream()
        .filter(each -> to.of(each.getKey()) != from.of(each.getKey()))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /**
   * Returns the history after a move.
   *
   * @param seconds what the change of each use cost
   */
  public SplitHistory moved(FastSplit from, FastSplit to, Map<FastUse, Double> seconds) {
    Map<FastUse, Boolean> grew = new EnumMap<>(FastUse.class);
    grew.putAll(lastGrew);
    Map<FastUse, Double> costs = new EnumMap<>(FastUse.class);
    costs.putAll(changeSeconds);
    for (FastUse use : FastUse.values()) {
      if (to.of(use) != from.of(use)) {
        grew.put(use, to.of(use) > from.of(use));
        costs.put(use, seconds.getOrDefault(use, 0.0));
      }
    }
    return new SplitHistory(grew, turns(from, to) ? 0 : secondsSinceTurn, costs);
  }
}
