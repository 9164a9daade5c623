package io.idlalayer.middleware.placement.policies.migrating;

import java.util.ArrayList;
import java.util.List;

/**
 * Looks for the number of layers of a period while training goes on: each step tries one. Tries the
 * median of the numbers of layers first, then those around it, in rounds: m, m+1, m-1, then m+2,
 * m-2, and so on. In the mode of the source, the first number that meets the constraints is the
 * answer. In the other mode one further round is tried, after which the present answer is measured
 * again, and the fastest one is kept. If none meets the constraints, the answer is 1.
 *
 * <p>Source: Rang 2021, chapter 6, algorithm findPerid. One thread at a time.
 */
final class PeriodSearch {
  /** When a search ends. */
  enum Mode {
    /** With the first number of layers that meets the constraints. */
    FIRST,
    /** With the fastest of those tried, one round after the first that meets the constraints. */
    FASTEST
  }

  private final Mode mode;
  private final List<List<Integer>> rounds;
  private final List<Integer> tried = new ArrayList<>();
  private List<Integer> round;
  private int next;
  private int roundIndex;
  private int best;
  private long bestNanos = Long.MAX_VALUE;
  private boolean lastRound;
  private boolean again;
  private boolean ended;

  /**
   * @param layers number of layers of a step, at least 1
   */
  PeriodSearch(int layers, Mode mode) {
    if (layers < 1) {
      throw new IllegalArgumentException("a step of " + layers + " layers; at least 1 is needed");
    }
    this.mode = mode;
    rounds = rounds(layers);
    round = rounds.get(0);
  }

  private static List<List<Integer>> rounds(int layers) {
    int median = (layers + 1) / 2;
    List<List<Integer>> rounds = new ArrayList<>();
    for (int far = 1; rounds.isEmpty() || median + far <= layers || median - far >= 1; far++) {
      List<Integer> round = new ArrayList<>();
      if (far == 1) {
        round.add(median);
      }
      if (median + far <= layers) {
        round.add(median + far);
      }
      if (median - far >= 1) {
        round.add(median - far);
      }
      rounds.add(round);
    }
    return rounds;
  }

  /** Returns the number of layers of a period for the next step. */
  int layers() {
    if (ended) {
      return best == 0 ? 1 : best;
    }
    return again ? best : round.get(next);
  }

  /** Returns whether the answer is known. */
  boolean ended() {
    return ended;
  }

  /** Returns whether some number of layers has met the constraints. */
  boolean feasible() {
    return best > 0;
  }

  /** Returns the numbers that were tried, in their order, without repetitions of the answer. */
  List<Integer> tried() {
    return List.copyOf(tried);
  }

  /**
   * Records the step that was run with {@link #layers}.
   *
   * @param nanos time of the step, above 0
   */
  void ran(boolean meetsConstraints, long nanos) {
    if (ended) {
      return;
    }
    if (nanos <= 0) {
      throw new IllegalArgumentException("a step of " + nanos + " ns; above 0 is needed");
    }
    if (again) {
      bestNanos = nanos;
      endRound();
      return;
    }
    int layers = round.get(next++);
    tried.add(layers);
    if (meetsConstraints && nanos < bestNanos) {
      best = layers;
      bestNanos = nanos;
      ended = mode == Mode.FIRST;
    }
    if (next == round.size() && !ended) {
      again = lastRound;
      if (!again) {
        endRound();
      }
    }
  }

  private void endRound() {
    again = false;
    roundIndex++;
    ended = lastRound || roundIndex == rounds.size();
    lastRound = best > 0;
    next = 0;
    round = ended ? List.of() : rounds.get(roundIndex);
  }
}
