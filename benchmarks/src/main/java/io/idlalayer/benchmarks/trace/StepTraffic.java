package io.idlalayer.benchmarks.trace;

import io.idlalayer.benchmarks.emulation.TagStats;
import io.idlalayer.benchmarks.emulation.TwoLevelCache;
import io.idlalayer.benchmarks.placement.EmulatedCache;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.PlacementStats.ActionCost;
import java.util.EnumMap;
import java.util.Map;

/**
 * Traffic of some steps. Under a cache of lines, traffic is the traffic of the cache, and hits are
 * lines.
 *
 * @param nanos duration by the memory's clock
 * @param bytesFastToSlow bytes copied to the slow device
 * @param bytesSlowToFast bytes copied to the fast device
 * @param slowReadBytes bytes that kernels read on the slow device
 * @param slowWrittenBytes bytes that kernels wrote on the slow device
 * @param hits number of uses of arguments on the fast device
 * @param misses number of uses of arguments on the slow device
 * @param stallNanos time spent before kernels and in allocations
 * @param computeNanos time spent in kernels
 * @param forcedEvictions number of evictions that had to make room
 * @param avoidedWriteBackBytes bytes of objects that were given up before they reached the slow
 *     device
 * @param actions costs of the policy's actions, by reason
 * @param highWaterBytes most bytes in use on the fast device since the memory was created
 */
public record StepTraffic(
    int steps,
    long nanos,
    long bytesFastToSlow,
    long bytesSlowToFast,
    long slowReadBytes,
    long slowWrittenBytes,
    long hits,
    long misses,
    long stallNanos,
    long computeNanos,
    long forcedEvictions,
    long avoidedWriteBackBytes,
    Map<Reason, ActionCost> actions,
    long highWaterBytes) {

  /** Bytes through the slow device's interface. */
  public long bytes() {
    return bytesFastToSlow + bytesSlowToFast + slowReadBytes + slowWrittenBytes;
  }

  /** Counts of a memory at some time. */
  public record Mark(PlacementStats stats, TagStats tags, long nanos) {
    /**
     * Returns the current counts.
     *
     * @param policy policy of the memory, without policies that forward to it
     */
    public static Mark of(PlacedMemory memory, PlacementPolicy policy) {
      return new Mark(
          memory.stats(),
          policy instanceof EmulatedCache lines ? lines.tags() : TagStats.NONE,
          memory.memory().clock().nanos());
    }

    /** Traffic of the steps between an earlier mark and this one. */
    public StepTraffic since(Mark before, int steps, DeviceId fast, DeviceId slow) {
      PlacementStats from = before.stats();
      TagStats lines = tags.since(before.tags());
      boolean cached = !tags.equals(TagStats.NONE);
      long line = TwoLevelCache.LINE_BYTES;
      return new StepTraffic(
          steps,
          nanos - before.nanos(),
          cached
              ? lines.slowWrites() * line
              : stats.traffic().bytes(fast, slow) - from.traffic().bytes(fast, slow),
          cached
              ? lines.slowReads() * line
              : stats.traffic().bytes(slow, fast) - from.traffic().bytes(slow, fast),
          cached ? 0 : stats.slowReadBytes() - from.slowReadBytes(),
          cached ? 0 : stats.slowWrittenBytes() - from.slowWrittenBytes(),
          cached ? lines.hits() + lines.ownedWrites() : stats.fastUses() - from.fastUses(),
          cached ? lines.missesClean() + lines.missesDirty() : stats.slowUses() - from.slowUses(),
          stats.stallNanos() - from.stallNanos(),
          stats.computeNanos() - from.computeNanos(),
          stats.policy().forcedEvictions() - from.policy().forcedEvictions(),
          stats.policy().avoidedWriteBackBytes() - from.policy().avoidedWriteBackBytes(),
          actionsSince(from),
          stats.fast().highWaterBytes());
    }

    private Map<Reason, ActionCost> actionsSince(PlacementStats from) {
      Map<Reason, ActionCost> costs = new EnumMap<>(Reason.class);
      stats
          .actions()
          .forEach(
              (reason, cost) -> {
                ActionCost some = cost.since(from.actions().getOrDefault(reason, ActionCost.NONE));
                if (!some.equals(ActionCost.NONE)) {
                  costs.put(reason, some);
                }
              });
      return costs;
    }
  }
}
