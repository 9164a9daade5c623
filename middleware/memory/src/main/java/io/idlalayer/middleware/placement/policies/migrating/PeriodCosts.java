package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Predicts what periods cost: the bytes that each needs on the fast device, and its time, which is
 * that of its kernels or that of bringing in its tensors, whichever is longer. Every long-lived
 * tensor that a period uses and does not create counts as brought in; this is an upper bound.
 *
 * <p>Source: Rang 2021, chapter 6, whose constraints mix seconds and bytes. Here, as in Sentinel
 * (Ren 2021): the long-lived tensors of a period must fit beside the short-lived ones, and copies
 * must not take longer than the kernels beside which they are made.
 */
public final class PeriodCosts {
  private final StepProfile step;
  private final TransferTimes times;
  private final long fastBytes;
  private final long[] shortLived;
  private final long[] nanosUpTo;

  /**
   * @param kernelNanos time of each kernel with everything on the fast device
   * @param fastBytes budget of the fast device
   */
  public PeriodCosts(StepProfile step, long[] kernelNanos, TransferTimes times, long fastBytes) {
    this.step = step;
    this.times = times;
    this.fastBytes = fastBytes;
    shortLived = step.liveBytes(true);
    nanosUpTo = new long[kernelNanos.length + 1];
    for (int k = 0; k < kernelNanos.length; k++) {
      nanosUpTo[k + 1] = nanosUpTo[k] + kernelNanos[k];
    }
  }

  /**
   * What one period costs.
   *
   * @param neededBytes long-lived tensors that it uses, and creates
   * @param shortLivedBytes most bytes of short-lived tensors that are alive at once
   * @param movedBytes long-lived tensors that it uses and does not create
   * @param computeNanos time of its kernels
   * @param moveNanos time of bringing in its tensors
   * @param fits whether everything that it needs fits on the fast device
   */
  record Cost(
      long neededBytes,
      long shortLivedBytes,
      long movedBytes,
      long computeNanos,
      long moveNanos,
      boolean fits) {
    /**
     * Returns the predicted time of the period. Copies go on while kernels run; if the tensors do
     * not fit, kernels and copies wait for each other.
     */
    long nanos() {
      return fits ? Math.max(computeNanos, moveNanos) : computeNanos + moveNanos;
    }

    /** Returns whether the kernels of the period take longer than the copies beside them. */
    boolean hidden() {
      return moveNanos <= computeNanos;
    }
  }

  /** Adds up one period, kernel by kernel. */
  private final class Sum {
    private final Set<Integer> used = new HashSet<>();
    private final int from;
    private long needed;
    private long moved;
    private long most;

    Sum(int from) {
      this.from = from;
    }

    void add(int k) {
      TaskGraph.Kernel kernel = step.graph().kernels().get(k);
      most = Math.max(most, shortLived[k]);
      for (int tensor : kernel.arguments()) {
        if (!step.shortLived(tensor) && used.add(tensor)) {
          long bytes = step.graph().tensors().get(tensor).bytes();
          needed += bytes;
          moved += step.lasting(tensor) || step.useBefore(tensor, from) >= 0 ? bytes : 0;
        }
      }
    }

    Cost cost(int end) {
      long compute = nanosUpTo[end] - nanosUpTo[from];
      long move = moved == 0 ? 0 : times.copyIn(moved);
      return new Cost(needed, most, moved, compute, move, needed + most <= fastBytes);
    }
  }

  /** Returns the costs of periods, in their order. */
  List<Cost> of(Periods periods) {
    List<Cost> costs = new ArrayList<>();
    int kernels = nanosUpTo.length - 1;
    for (int period = 0; period < periods.count(); period++) {
      int from = periods.starts().get(period);
      int end = periods.end(period, kernels);
      Sum sum = new Sum(from);
      for (int k = from; k < end; k++) {
        sum.add(k);
      }
      costs.add(sum.cost(end));
    }
    return costs;
  }

  /** Returns the predicted time of a step. */
  public long nanos(Periods periods) {
    return of(periods).stream().mapToLong(Cost::nanos).sum();
  }

  /** Returns whether everything fits, and every copy is hidden beside the kernels. */
  boolean feasible(Periods periods) {
    return of(periods).stream().allMatch(cost -> cost.fits() && cost.hidden());
  }

  /**
   * Returns the periods with the least predicted time. They may have different numbers of layers;
   * if several divisions are equally fast, that with the fewest periods is returned. Uniform
   * periods are among those tried.
   */
  public Periods best() {
    int layers = step.layers();
    long[] least = new long[layers + 1];
    int[] count = new int[layers + 1];
    int[] cutBefore = new int[layers + 1];
    for (int to = 1; to <= layers; to++) {
      least[to] = Long.MAX_VALUE;
    }
    for (int from = 0; from < layers; from++) {
      Sum sum = new Sum(step.firstKernel(from));
      for (int to = from + 1; to <= layers; to++) {
        for (int k = step.firstKernel(to - 1); k < step.firstKernel(to); k++) {
          sum.add(k);
        }
        long nanos = least[from] + sum.cost(step.firstKernel(to)).nanos();
        if (nanos < least[to] || (nanos == least[to] && count[from] + 1 < count[to])) {
          least[to] = nanos;
          count[to] = count[from] + 1;
          cutBefore[to] = from;
        }
      }
    }
    List<Integer> starts = new ArrayList<>();
    for (int at = layers; at > 0; at = cutBefore[at]) {
      starts.add(step.firstKernel(cutBefore[at]));
    }
    Collections.reverse(starts);
    return new Periods(starts.isEmpty() ? List.of(0) : starts);
  }
}
