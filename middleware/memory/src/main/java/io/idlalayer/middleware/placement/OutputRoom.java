package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.DeviceFullException;
import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.PinnedException;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Prepares the fast device for what a kernel is going to create. That cannot displace the kernel's
 * arguments, which are in use by then; and stores on the slow device take longer than loads.
 */
final class OutputRoom {
  private final CachedArrays policy;
  private final KernelCosts costs;

  OutputRoom(CachedArrays policy, KernelCosts costs) {
    this.policy = policy;
    this.costs = costs;
  }

  /**
   * What a kernel is expected to do.
   *
   * @param nanos that it takes
   * @param createdBytes of all that it creates
   * @param largestBytes of the largest of these
   */
  record Expected(long nanos, long createdBytes, long largestBytes) {}

  /** Bytes on the fast device that arguments and what is created do not leave room for. */
  long missingBytes(KernelEvent event, long createdBytes) {
    long held = 0;
    for (MemObject object : event.arguments()) {
      held += object.in(policy.moves().fast) ? object.bytes() : 0;
    }
    return held + createdBytes - use().budgetBytes();
  }

  private DeviceUse use() {
    return policy.moves().memory.use(policy.moves().fast);
  }

  /**
   * Has arguments leave that are only read, if the outputs have no room beside them, and puts free
   * room together, if it is scattered between arguments; each if it is worth its time.
   *
   * @return the arguments that have left
   */
  Set<MemObject> make(KernelEvent event, Expected expected) throws InterruptedException {
    Set<MemObject> gone = new LinkedHashSet<>();
    for (MemObject object : leaving(event, expected)) {
      if (left(object)) {
        gone.add(object);
      }
    }
    double gain = costs.inPlace(expected.nanos(), 0, expected.largestBytes());
    if (missingBytes(event, expected.createdBytes()) <= 0
        && expected.largestBytes() > use().largestFreeBytes()
        && !policy.canMakeRoom(expected.largestBytes(), event.arguments())
        && costs.copyWithin(use().occupiedBytes()) < gain) {
      policy.moves().memory.defragment(policy.moves().fast);
    }
    return gone;
  }

  /** The kernel can do without: what is in use, or has no room elsewhere, stays. */
  private boolean left(MemObject object) throws InterruptedException {
    try {
      policy.evict(object);
      return true;
    } catch (PinnedException | DeviceFullException e) {
      return false;
    }
  }

  private Set<MemObject> leaving(KernelEvent event, Expected expected) {
    long missing = missingBytes(event, expected.createdBytes());
    if (expected.createdBytes() == 0 || missing <= 0) {
      return Set.of();
    }
    Set<MemObject> leaving = new LinkedHashSet<>();
    long bytes = 0;
    double nanos = 0;
    for (MemObject object : event.reads()) {
      if (bytes < missing && object.in(policy.moves().fast) && !event.writes().contains(object)) {
        leaving.add(object);
        bytes += object.bytes();
        nanos += TierMoves.needsCopy(object) ? costs.copyOut(object.bytes()) : 0;
      }
    }
    nanos += costs.inPlace(expected.nanos(), bytes, 0);
    boolean pays = nanos < costs.inPlace(expected.nanos(), 0, expected.createdBytes());
    return bytes >= missing && pays ? leaving : Set.of();
  }
}
