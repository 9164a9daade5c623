package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Reason;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses objects to write back during a step that was not announced, so that the objects can leave
 * later without a copy. It chooses no more bytes than can be copied while one kernel runs. It
 * chooses only objects that are not used again soon, and only while objects have to leave the fast
 * device.
 */
final class WriteAhead {
  private static final long FAR_KERNELS = 8;
  private static final int AT_ONCE = 2;
  private static final int PRESSURE_KERNELS = 256;
  private static final double NANOS_PER_SECOND = 1e9;

  private long evictions;
  private int pressure;

  /** Returns write-backs of as many bytes as can be copied during a kernel like the last one. */
  List<Action> after(long kernelNanos, List<MemObject> firstToLeave, MemoryView view) {
    if (!underPressure(view)) {
      return List.of();
    }
    double bytesPerSecond = view.slowSpeed().writeBytesPerSecond();
    double left = kernelNanos / NANOS_PER_SECOND * bytesPerSecond;
    int underWay = view.writeBacksUnderWay();
    List<Action> actions = new ArrayList<>();
    for (MemObject object : firstToLeave) {
      if (underWay + actions.size() >= AT_ONCE) {
        break;
      }
      if (object.bytes() <= left && worthwhile(object, view)) {
        actions.add(
            new Action.WriteBack(object, Reason.WRITE_AHEAD, view.times().copyOut(object.bytes())));
        left -= object.bytes();
      }
    }
    return actions;
  }

  /**
   * Returns whether objects were evicted during the last kernels. Without evictions, writing back
   * is of no use.
   */
  private boolean underPressure(MemoryView view) {
    long now = view.counts().evictions();
    if (now > evictions) {
      evictions = now;
      pressure = PRESSURE_KERNELS;
    }
    return pressure > 0 && pressure-- > 0;
  }

  private static boolean worthwhile(MemObject object, MemoryView view) {
    long next = view.nextUse(object);
    return next >= FAR_KERNELS
        && next != MemoryView.NEVER
        && view.inFast(object)
        && !view.copying(object)
        && view.movable(object)
        && view.needsWriteBack(object);
  }
}
