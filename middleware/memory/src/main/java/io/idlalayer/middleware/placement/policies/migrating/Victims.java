package io.idlalayer.middleware.placement.policies.migrating;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.FastBlock;
import io.idlalayer.middleware.placement.api.MemoryView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses what leaves the fast device for a newcomer: first dead objects, then long-lived ones that
 * are not used in this period and the next one, those used latest first. A short-lived object that
 * is alive is used in this period and never leaves. If the others do not give enough space, nothing
 * leaves, and the newcomer is made on the slow device.
 *
 * <p>Source: Rang 2021, chapter 6, procedure FastDOCtrl, with victims by their next use.
 *
 * @param soonKernels number of kernels that this period and the next one have left
 */
record Victims(MemoryView view, long soonKernels) {
  /** Returns the objects that leave so that some bytes fit; empty if there is not enough space. */
  List<MemObject> leaving(long bytes) {
    List<MemObject> candidates = new ArrayList<>();
    for (FastBlock block : view.fastBlocks()) {
      MemObject object = block.object();
      if (object != null && block.open() && mayLeave(object)) {
        candidates.add(object);
      }
    }
    candidates.sort(Comparator.comparingLong(object -> -view.nextUse(object)));
    List<MemObject> leaving = new ArrayList<>();
    long free = view.fast().budgetBytes() - view.fast().occupiedBytes();
    for (MemObject object : candidates) {
      if (free >= bytes) {
        break;
      }
      leaving.add(object);
      free += object.bytes();
    }
    return free >= bytes ? leaving : List.of();
  }

  private boolean mayLeave(MemObject object) {
    long next = view.nextUse(object);
    return next == MemoryView.NEVER || next > soonKernels;
  }
}
