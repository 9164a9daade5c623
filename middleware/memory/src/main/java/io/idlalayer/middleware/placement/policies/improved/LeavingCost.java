package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.TransferTimes;

/** Predicts what it costs, in nanoseconds, to remove an object from the fast device. */
record LeavingCost(MemoryView view, TransferTimes times) {
  /**
   * Number of kernels until the next use at which the cost of reading an object back counts half.
   */
  private static final double HALF_KERNELS = 16;

  /** Weight of the cost of reading back an object whose next use is not known. */
  private static final double UNKNOWN = 0.3;

  LeavingCost(MemoryView view) {
    this(view, view.times());
  }

  /**
   * Returns the nanoseconds of the copy to the slow device that must end before the object leaves;
   * 0 if none is needed.
   */
  long copy(MemObject object) {
    return view.needsWriteBack(object) ? times.copyOut(object.bytes()) : 0;
  }

  /**
   * Returns the total cost of removing an object, in nanoseconds: that of the copy to the slow
   * device, and that of reading the object back. The second part counts more the sooner the object
   * is used again.
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
