package io.idlalayer.middleware.placement.policies.migrating;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The periods into which a step is cut. While the kernels of one period run, the tensors of the
 * next one migrate.
 *
 * @param starts index of the first kernel of each period, ascending from 0; empty if nothing
 *     migrates
 */
public record Periods(List<Integer> starts) {
  /** No periods: nothing migrates. */
  public static final Periods NONE = new Periods(List.of());

  public Periods {
    starts = List.copyOf(starts);
    if (!starts.isEmpty() && starts.get(0) != 0) {
      throw new IllegalArgumentException("periods start at %s; 0 must be first".formatted(starts));
    }
    for (int i = 1; i < starts.size(); i++) {
      if (starts.get(i) <= starts.get(i - 1)) {
        throw new IllegalArgumentException("periods start at %s, not ascending".formatted(starts));
      }
    }
  }

  /**
   * Returns periods of equally many layers; the last one may be shorter.
   *
   * @param layers number of layers of a period, at least 1
   */
  public static Periods uniform(StepProfile step, int layers) {
    List<Integer> starts = new ArrayList<>();
    for (int layer = 0; layer == 0 || layer < step.layers(); layer += layers) {
      starts.add(step.firstKernel(layer));
    }
    return new Periods(starts);
  }

  int count() {
    return starts.size();
  }

  /** Returns the period of a kernel. */
  int of(int kernel) {
    int at = Collections.binarySearch(starts, kernel);
    return at >= 0 ? at : -at - 2;
  }

  /**
   * Returns the index one past the last kernel of a period.
   *
   * @param kernels number of kernels of the step
   */
  int end(int period, int kernels) {
    return period + 1 < starts.size() ? starts.get(period + 1) : kernels;
  }
}
