package io.idlalayer.middleware.placement.plan.autotm;

import java.util.Arrays;

/**
 * Where a tensor is at each of its uses, and what happens to it between them.
 *
 * @param fast whether it is on the fast device at each use
 * @param leave by gap: the number of kernels after the use before it after which the tensor leaves
 *     the fast device; {@link #NO} if it stays or is slow
 * @param enter by gap: the number of kernels before the use after it at which its copy to the fast
 *     device starts; {@link #NO} if it stays or remains slow
 */
record TensorPath(boolean[] fast, int[] leave, int[] enter) {
  /** No copy in this direction. */
  static final int NO = -1;

  static TensorPath constant(int uses, int gaps, boolean fast) {
    boolean[] all = new boolean[uses];
    Arrays.fill(all, fast);
    int[] none = new int[gaps];
    Arrays.fill(none, NO);
    return new TensorPath(all, none, none.clone());
  }

  /** Returns whether the tensor is on the fast device for a whole gap. */
  boolean stays(int gap) {
    return fast[gap] && leave[gap] == NO;
  }

  /**
   * Returns whether the tensor can leave in a gap without a copy, because it was copied from the
   * slow device and not written since.
   */
  boolean clean(Flow flow, int gap) {
    int use = gap;
    for (int i = 0; i < flow.uses(); i++) {
      if (flow.writes()[use] || (!flow.lasting() && use == 0)) {
        return false;
      }
      int before = use == 0 ? flow.uses() - 1 : use - 1;
      if (enter[before] != NO) {
        return true;
      }
      use = before;
    }
    return false;
  }
}
