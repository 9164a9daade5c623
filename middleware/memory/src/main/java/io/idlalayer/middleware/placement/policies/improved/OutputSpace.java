package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TransferTimes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Prepares the fast device for what a kernel is going to create. That cannot displace the kernel's
 * arguments, which are in use by then; and stores on the slow device take longer than loads.
 *
 * @param expected what the kernel does
 * @param layout before it; changed by what is decided
 */
record OutputSpace(KernelEvent kernel, Expected expected, FastLayout layout, MemoryView view) {
  /**
   * What a kernel is expected to do.
   *
   * @param nanos that it takes
   * @param createdBytes of all that it creates
   * @param largestBytes of the largest of these
   */
  record Expected(long nanos, long createdBytes, long largestBytes) {
    static final Expected UNKNOWN = new Expected(0, 0, 0);
  }

  /** Bytes on the fast device that arguments and what is created do not leave room for. */
  long missingBytes(long createdBytes) {
    long held = 0;
    for (MemObject object : kernel.arguments()) {
      held += layout.holds(object) ? object.bytes() : 0;
    }
    return held + createdBytes - layout.budgetBytes();
  }

  /**
   * Has arguments leave that are only read, if the outputs have no room beside them, and puts free
   * room together, if it is scattered between arguments; each if it is worth its time.
   */
  List<Action> actions() {
    TransferTimes times = view.times();
    List<Action> actions = new ArrayList<>();
    for (MemObject object : leaving(times)) {
      long nanos = view.needsWriteBack(object) ? times.copyOut(object.bytes()) : 0;
      actions.add(new Action.Evict(object, Reason.OUTPUT_SPACE, nanos));
      layout.evict(object);
    }
    double gain = times.inPlace(expected.nanos(), 0, expected.largestBytes());
    long moved = times.copyWithin(layout.occupiedBytes());
    if (missingBytes(expected.createdBytes()) <= 0
        && expected.largestBytes() > layout.largestFreeBytes()
        && !layout.hasSpan(expected.largestBytes(), kernel.arguments())
        && moved < gain) {
      actions.add(new Action.Compact(Reason.OUTPUT_SPACE, moved));
      layout.compact(kernel.arguments());
    }
    return actions;
  }

  private Set<MemObject> leaving(TransferTimes times) {
    long missing = missingBytes(expected.createdBytes());
    if (expected.createdBytes() == 0 || missing <= 0) {
      return Set.of();
    }
    Set<MemObject> leaving = new LinkedHashSet<>();
    long bytes = 0;
    double nanos = 0;
    for (MemObject object : kernel.reads()) {
      if (bytes < missing
          && layout.holds(object)
          && view.movable(object)
          && !kernel.writes().contains(object)
          && leaving.add(object)) {
        bytes += object.bytes();
        nanos += view.needsWriteBack(object) ? times.copyOut(object.bytes()) : 0;
      }
    }
    nanos += times.inPlace(expected.nanos(), bytes, 0);
    boolean pays = nanos < times.inPlace(expected.nanos(), 0, expected.createdBytes());
    return bytes >= missing && pays ? leaving : Set.of();
  }
}
