package io.idlalayer.middleware.placement.plan.autotm;

/**
 * A tensor that a plan places: its uses in the order of the kernels, and the gaps between them. Gap
 * i is between use i and use i + 1. If the tensor lasts from step to step, its last gap is between
 * its last use and its first use in the next step.
 *
 * @param tensor index in the graph of the step
 * @param bytes on the fast device, rounded up to its granule
 * @param kernels indexes of the kernels that use it, ascending; at least one
 * @param arguments its position among the placed arguments of each of these kernels
 * @param writes whether each of these kernels writes it
 * @param lasting whether it exists before the step and after it
 * @param retired the kernel after which it is retired; not used of a lasting tensor
 * @param copyInNanos duration of a copy to the fast device
 * @param copyOutNanos duration of a copy to the slow device
 */
record Flow(
    int tensor,
    long bytes,
    int[] kernels,
    int[] arguments,
    boolean[] writes,
    boolean lasting,
    int retired,
    long copyInNanos,
    long copyOutNanos) {
  /** Result of {@link #lastWrite} if no use writes it. */
  static final int NEVER_WRITTEN = -1;

  int uses() {
    return kernels.length;
  }

  int gaps() {
    return lasting ? kernels.length : kernels.length - 1;
  }

  /** Returns the index of the use after a gap. */
  int next(int gap) {
    return gap + 1 == kernels.length ? 0 : gap + 1;
  }

  /**
   * Returns the number of kernels in a gap.
   *
   * @param steps number of kernels of a step
   */
  int length(int gap, int steps) {
    int from = kernels[gap];
    int to = kernels[next(gap)];
    return to > from ? to - from - 1 : to + steps - from - 1;
  }

  /**
   * Returns the latest use that writes this tensor before a gap. If the tensor lasts from step to
   * step, this may be a use in the step before, which has a larger index.
   */
  int lastWrite(int gap) {
    int use = gap;
    for (int i = 0; i < kernels.length; i++) {
      if (writes[use] || (!lasting && use == 0)) {
        return use;
      }
      use = use == 0 ? kernels.length - 1 : use - 1;
    }
    return NEVER_WRITTEN;
  }

  /**
   * Returns how many kernels have run after the last one that writes this tensor, up to the use
   * before a gap; 0 if none writes it.
   *
   * @param steps number of kernels of a step
   */
  int sinceWrite(int gap, int steps) {
    int write = lastWrite(gap);
    return write == NEVER_WRITTEN ? 0 : Math.floorMod(kernels[gap] - kernels[write], steps);
  }

  /** Returns how many vertices the graph of the tensor's states has in the form with copies. */
  int vertices() {
    return 3 * kernels.length + 1;
  }

  /** Returns how many edges the graph of the tensor's states has in the synchronous form. */
  int edges() {
    return kernels.length == 1 ? 4 : 6 * kernels.length - 3;
  }

  /** Returns a path on which the tensor is on one device all the time. */
  TensorPath constant(boolean fast) {
    return TensorPath.constant(kernels.length, gaps(), fast);
  }
}
