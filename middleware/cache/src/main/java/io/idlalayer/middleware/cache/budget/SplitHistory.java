package io.idlalayer.middleware.cache.budget;

import java.util.EnumMap;
import java.util.Map;

/**
 * The earlier moves. Immutable.
 *
 * @param lastGrew for each use, whether its last change was a growth; a use that never changed has
 *     no entry
 * @param secondsSinceTurn time since a use last changed in the opposite direction of its previous
 *     change; infinite if that never happened
 * @param changeSeconds for each use, the duration of its last change; a use that never changed has
 *     no entry
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

  /** Returns whether a move changes a use in the opposite direction of its last change. */
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

  /** Returns the expected duration of a move, estimated from the last changes of the same uses. */
  double moveSeconds(FastSplit from, FastSplit to) {
    return changeSeconds.entrySet().stream()
        .filter(each -> to.of(each.getKey()) != from.of(each.getKey()))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /**
   * Returns the history after a move.
   *
   * @param seconds duration of the change of each use
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
