package io.idlalayer.jobs.learner.forget;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Earlier models of a learner, at most a given number of them. The distance between neighbouring
 * anchors grows with their age: of k anchors over n updates, the anchor at place i from the newest
 * is about n * (i / k)^2 updates old. So forgetting a sample of the newest quarter costs little,
 * and forgetting an older sample costs hardly more than with anchors at equal distances. The oldest
 * anchor stays as long as the log contains the updates after it. Confined to one thread.
 */
final class Anchors {
  private final int most;

  /** The anchors, by ascending number of their updates. */
  private final List<Anchor> anchors = new ArrayList<>();

  /**
   * @param most at least 2
   */
  Anchors(int most) {
    this.most = most;
  }

  /** Returns the anchors, oldest first. */
  List<Anchor> all() {
    return List.copyOf(anchors);
  }

  /**
   * Adds an anchor that is newer than all others. If there is already an anchor of the same update,
   * nothing changes.
   */
  void add(Anchor anchor) {
    long newest = anchors.isEmpty() ? -1 : anchors.get(anchors.size() - 1).update();
    if (anchor.update() < newest) {
      throw new IllegalArgumentException(
          "an anchor of update %d comes after one of update %d".formatted(anchor.update(), newest));
    }
    if (anchor.update() > newest) {
      anchors.add(anchor);
      while (anchors.size() > most) {
        anchors.remove(leastMissed());
      }
    }
  }

  /**
   * Returns the index of the anchor whose neighbours are closest to each other, measured by the
   * square roots of their ages. Removing this anchor makes these roots nearly equidistant over
   * time. The first and the last anchor are never returned.
   */
  private int leastMissed() {
    long now = anchors.get(anchors.size() - 1).update() + 1;
    int least = 1;
    double smallest = Double.POSITIVE_INFINITY;
    for (int i = 1; i < anchors.size() - 1; i++) {
      double older = rootOfAge(i - 1, now);
      double newer = rootOfAge(i + 1, now);
      if (older - newer < smallest) {
        smallest = older - newer;
        least = i;
      }
    }
    return least;
  }

  private double rootOfAge(int index, long now) {
    return Math.sqrt((double) (now - anchors.get(index).update()));
  }

  /** Returns the newest anchor of an update before {@code update}; null if there is none. */
  @Nullable Anchor newestBefore(long update) {
    for (int i = anchors.size() - 1; i >= 0; i--) {
      if (anchors.get(i).update() < update) {
        return anchors.get(i);
      }
    }
    return null;
  }

  /** Removes the anchors of updates before {@code update}. */
  void removeBefore(long update) {
    anchors.removeIf(each -> each.update() < update);
  }

  /** Replaces all anchors of updates after {@code update}. */
  void replaceAfter(long update, List<Anchor> others) {
    anchors.removeIf(each -> each.update() > update);
    others.forEach(this::add);
  }

  void clear() {
    anchors.clear();
  }
}
