package io.idlalayer.middleware.placement.plan.autotm;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * The order in which the copies of one direction begin. Copies follow one another, so a long one
 * that begins early delays those behind it. Of the copies that may begin, the one is first whose
 * tensor is needed, or has to leave, first. It waits if others could then not end in time.
 *
 * <p>This is the order of earliest deadlines, for copies that cannot be interrupted and are known
 * beforehand.
 */
final class CopyOrder {
  /** Rounds of the step; the second one is returned. */
  private static final int ROUNDS = 3;

  private static final int STEADY = 1;

  private final int steps;

  /** Time at which each kernel of all rounds begins, and at which the last one ends. */
  private final double[] starts;

  /** Copies of all rounds, those that have to end first before others. */
  private final List<Due> dues = new ArrayList<>();

  /** Time at which each of them begins at the latest if it and those after it shall end in time. */
  private final double[] latest;

  /** Most kernels from the first one before which a copy may begin to that before which it ends. */
  private final int widest;

  private final BitSet begun = new BitSet();
  private final List<Begun> order = new ArrayList<>();

  /**
   * A copy of a tensor in a gap between two uses. Kernels are counted from the first one of the
   * step in which the gap begins; those of the step before are negative.
   *
   * @param release kernel before which it may begin
   * @param deadline kernel before which it has to end
   */
  record Copy(int flow, int gap, int release, int deadline, double nanos) {}

  /** A copy in one of the rounds; kernels are counted from the first round on. */
  private record Due(Copy copy, int round, int release, int deadline) {}

  /**
   * A copy that begins.
   *
   * @param kernel before which it begins, 0 to the number of kernels - 1
   */
  record Begun(Copy copy, int kernel) {}

  private CopyOrder(double[] kernelNanos, List<Copy> copies) {
    steps = kernelNanos.length;
    starts = new double[ROUNDS * steps + 1];
    for (int k = 0; k < ROUNDS * steps; k++) {
      starts[k + 1] = starts[k] + kernelNanos[k % steps];
    }
    for (Copy copy : copies) {
      for (int round = 0; round < ROUNDS; round++) {
        int from = round * steps;
        dues.add(new Due(copy, round, from + copy.release(), from + copy.deadline()));
      }
    }
    dues.sort(
        Comparator.comparingInt(Due::deadline)
            .thenComparingInt(due -> due.copy().flow())
            .thenComparingInt(due -> due.copy().gap()));
    widest = copies.stream().mapToInt(copy -> copy.deadline() - copy.release()).max().orElse(0);
    latest = new double[dues.size()];
    double next = Double.POSITIVE_INFINITY;
    for (int i = dues.size() - 1; i >= 0; i--) {
      Due due = dues.get(i);
      double end = Math.min(next, start(due.deadline()));
      latest[i] = Math.max(start(due.release()), end - due.copy().nanos());
      next = latest[i];
    }
  }

  /**
   * Returns each copy once, with those before one kernel in the order in which they begin.
   *
   * @param kernelNanos duration of each kernel
   * @param copies copies of one direction, in one step
   */
  static List<Begun> of(double[] kernelNanos, List<Copy> copies) {
    return new CopyOrder(kernelNanos, copies).run();
  }

  private double start(int kernel) {
    return starts[Math.max(0, Math.min(kernel, starts.length - 1))];
  }

  private List<Begun> run() {
    double free = 0;
    for (int k = 0; k < ROUNDS * steps; k++) {
      for (int next = next(k, free); next >= 0; next = next(k, free)) {
        begun.set(next);
        Due due = dues.get(next);
        free = Math.max(starts[k], free) + due.copy().nanos();
        if (due.round() == STEADY) {
          order.add(new Begun(due.copy(), k % steps));
        }
      }
    }
    return order;
  }

  /**
   * Returns the next copy to begin before a kernel; negative if there is none, or if the copies
   * before it take until the kernel's end.
   */
  private int next(int k, double free) {
    boolean idle = free < starts[k + 1];
    double begin = Math.max(starts[k], free);
    double others = Double.POSITIVE_INFINITY;
    for (int i = begun.nextClearBit(0); i < dues.size(); i = begun.nextClearBit(i + 1)) {
      Due due = dues.get(i);
      boolean last = due.deadline() <= k + 1;
      // None of the copies from here on may begin yet if even the widest one may not.
      boolean early = due.deadline() - widest > k;
      if (early || (!last && (!idle || others <= begin))) {
        break;
      }
      if (due.release() <= k && (last || begin + due.copy().nanos() <= others)) {
        return i;
      }
      others = Math.min(others, latest[i]);
    }
    return -1;
  }
}
