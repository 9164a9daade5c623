package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TransferTimes;

/** The cost of an object's leaving the fast device, in nanoseconds. */
record LeavingCost(MemoryView view, TransferTimes times) {
  /** A use that is this many kernels away counts half. */
  private static final double HALF_KERNELS = 16;

  /** Weight of an object whose next use is not known. */
  private static final double UNKNOWN = 0.3;

  LeavingCost(MemoryView view) {
    this(view, view.times());
  }

  /** Cost of the copy that leaving waits for. */
  long copy(MemObject object) {
    return view.needsWriteBack(object) ? times.copyOut(object.bytes()) : 0;
  }

  /**
   * Cost of that copy and of reading the object back, which counts more the sooner the object is
   * used again.
   */
  double whole(MemObject object) {
    long next = view.nextUse(object);
    if (next == MemoryView.NEVER) {
      return 0;
    }
    double soon = next == MemoryView.UNKNOWN ? UNKNOWN : HALF_KERNELS / (HALF_KERNELS + next);
    return copy(object) + soon * times.copyIn(object.bytes());
  }
}
