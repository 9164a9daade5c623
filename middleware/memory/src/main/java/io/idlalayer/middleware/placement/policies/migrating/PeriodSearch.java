package io.idlalayer.middleware.placement.policies.migrating;

import java.util.ArrayList;
import java.util.List;

/**
 * Looks for the number of layers of a period while training goes on: each step tries one. Tries the
 * median of the numbers of layers first, then those around it: m, m+1, m-1, m+2, m-2, and so on.
 * The first number that meets the constraints is the answer. If none does, the answer is 1.
 *
 * <p>Source: Rang 2021, chapter 6, algorithm findPerid. One thread at a time.
 */
final class PeriodSearch {
  private final List<Integer> order;
  private int next;
  private boolean feasible;

  /**
   * @param layers number of layers of a step, at least 1
   */
  PeriodSearch(int layers) {
    if (layers < 1) {
      throw new IllegalArgumentException("a step of " + layers + " layers; at least 1 is needed");
    }
    order = order(layers);
  }

  private static List<Integer> order(int layers) {
    int median = (layers + 1) / 2;
    List<Integer> order = new ArrayList<>(List.of(median));
    for (int far = 1; order.size() < layers; far++) {
      if (median + far <= layers) {
        order.add(median + far);
      }
      if (median - far >= 1) {
        order.add(median - far);
      }
    }
    return order;
  }

  /** Returns the number of layers of a period for the next step. */
  int layers() {
    return next < order.size() ? order.get(next) : 1;
  }

  /** Returns whether the answer is known. */
  boolean ended() {
    return feasible || next == order.size();
  }

  /** Returns whether some number of layers has met the constraints. */
  boolean feasible() {
    return feasible;
  }

  /** Records whether the step that was run with {@link #layers} met the constraints. */
  void ran(boolean meetsConstraints) {
    if (ended()) {
      return;
    }
    feasible = meetsConstraints;
    next += meetsConstraints ? 0 : 1;
  }
}
