package io.idlalayer.middleware.placement.policies.costaware;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.MemoryView;

/** How likely objects are used before others that could leave. */
final class ReuseOdds {
  private static final double HORIZON = 16;
  private static final double SOFT = 0.25;

  private ReuseOdds() {}

  /**
   * From 0 to 1: the sooner an object is used, the likelier; if no step has shown when, the later
   * it was used the likelier.
   *
   * @param soft whether its owner said that it will not be used for a while
   */
  static double soon(MemoryView view, MemObject object, boolean soft) {
    long next = view.nextUse(object);
    if (next == MemoryView.NEVER) {
      return 0;
    }
    if (next != MemoryView.UNKNOWN) {
      return HORIZON / (HORIZON + next);
    }
    return (soft ? SOFT : 1) * HORIZON / (HORIZON + view.idleKernels(object));
  }
}
