package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PolicyStats;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.engine.PlacementStats.ActionCost;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** Counts the kernels, copies and evictions of the engine. Guarded by the engine's lock. */
final class PlacementMeter {
  private final DeviceId fast;
  private final DeviceId slow;
  private final Map<Reason, ActionCost> actions = new EnumMap<>(Reason.class);
  private long kernels;
  private long fastUses;
  private long slowUses;
  private long slowReadBytes;
  private long slowWrittenBytes;
  private long stallNanos;
  private long computeNanos;
  private long prefetches;
  private long evictions;
  private long forcedEvictions;
  private long cleanEvictions;
  private long writtenBackBytes;
  private long avoidedWriteBackBytes;
  private long deadWriteBackBytes;
  private long fallbacks;
  private long failedCopiesAhead;
  private long planMismatches;
  private long forcedBeforeStep;

  PlacementMeter(DeviceId fast, DeviceId slow) {
    this.fast = fast;
    this.slow = slow;
  }

  void stalled(long nanos) {
    stallNanos += nanos;
  }

  void computed(long nanos) {
    computeNanos += nanos;
  }

  /**
   * Counts on which device each argument of a kernel is when the kernel starts.
   *
   * @param direct the kernel with only those arguments that neither pass through buffers nor were
   *     staged
   * @param late arguments that it reads on the slow device while they are being copied
   */
  void started(KernelEvent event, KernelEvent direct, Set<MemObject> late) {
    kernels++;
    for (MemObject object : direct.reads()) {
      if (object.in(fast) && !late.contains(object)) {
        fastUses++;
      } else {
        slowUses++;
        slowReadBytes += object.bytes();
      }
    }
    direct.writes().forEach(this::written);
    slowUses += event.reads().size() - direct.reads().size();
    slowUses += event.writes().size() - direct.writes().size();
  }

  /**
   * Counts kernels all of whose arguments were on the fast device.
   *
   * @param uses number of all arguments together
   */
  void startedFast(long count, long uses) {
    kernels += count;
    fastUses += uses;
  }

  /** Counts an object that a kernel creates and writes, by the device that holds it. */
  void written(MemObject object) {
    if (object.in(fast)) {
      fastUses++;
    } else {
      slowUses++;
      slowWrittenBytes += object.bytes();
    }
  }

  /** Counts an action that was carried out, with the copy it made. */
  void acted(Action action, long nanos) {
    add(action.reason(), new ActionCost(1, 0, action.expectedNanos(), nanos));
  }

  /** Counts an action that was not carried out. */
  void refused(Action action) {
    add(action.reason(), new ActionCost(0, 1, 0, 0));
  }

  private void add(Reason reason, ActionCost cost) {
    actions.merge(reason, cost, ActionCost::plus);
  }

  void fetched() {
    prefetches++;
  }

  void wroteBack(long bytes) {
    writtenBackBytes += bytes;
  }

  /**
   * Counts an object that was removed from the fast device.
   *
   * @param copied bytes
   * @param dead whether it was retired
   */
  void evicted(long copied, boolean dead) {
    evictions++;
    cleanEvictions += copied == 0 ? 1 : 0;
    writtenBackBytes += copied;
    deadWriteBackBytes += dead ? copied : 0;
  }

  void forced() {
    forcedEvictions++;
  }

  /**
   * Counts the bytes of a retired object that were never copied to the slow device and now need not
   * be. A cache, which does not know that the object was retired, might have written them.
   */
  void discarded(long bytes) {
    if (forcedEvictions > forcedBeforeStep) {
      avoidedWriteBackBytes += bytes;
    }
  }

  void fellBack() {
    fallbacks++;
  }

  void copyAheadFailed() {
    failedCopiesAhead++;
  }

  void planMissed() {
    planMismatches++;
  }

  void endOfStep() {
    forcedBeforeStep = forcedEvictions;
  }

  PolicyStats policy() {
    return new PolicyStats(
        prefetches,
        evictions,
        forcedEvictions,
        cleanEvictions,
        writtenBackBytes,
        avoidedWriteBackBytes,
        deadWriteBackBytes,
        fallbacks,
        failedCopiesAhead,
        planMismatches);
  }

  PlacementStats stats(TieredMemory memory) {
    return new PlacementStats(
        kernels,
        fastUses,
        slowUses,
        slowReadBytes,
        slowWrittenBytes,
        stallNanos,
        computeNanos,
        policy(),
        Map.copyOf(actions),
        memory.traffic(),
        memory.use(fast),
        memory.use(slow),
        memory.speed(slow, fast));
  }
}
