package io.idlalayer.benchmarks.emulation;

import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * What a two-level cache counted, in lines. Demands are the requests; every one is a hit, a clean
 * miss, a dirty miss or a write that skipped its check. {@code slowReads} equals the misses, {@code
 * slowWrites} the dirty ones.
 *
 * @param ownedWrites writes that skipped the check of their tag
 * @param fastReads accesses to DRAM
 * @param fastWrites accesses to DRAM
 * @param slowReads accesses to the slow device
 * @param slowWrites accesses to the slow device
 */
public record TagStats(
    long hits,
    long missesClean,
    long missesDirty,
    long ownedWrites,
    long fastReads,
    long fastWrites,
    long slowReads,
    long slowWrites) {
  /** Nothing was counted. */
  public static final TagStats NONE = new TagStats(0, 0, 0, 0, 0, 0, 0, 0);

  /** Shares of the slow device's bandwidths that are left behind the cache, as measured. */
  private static final double READ_SHARE = 23.0 / 30;

  private static final double WRITE_SHARE = 8.0 / 11;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Requests of programs. */
  public long demands() {
    return hits + missesClean + missesDirty + ownedWrites;
  }

  /** Accesses of both devices. */
  public long accesses() {
    return fastReads + fastWrites + slowReads + slowWrites;
  }

  /** Accesses per request; NaN without any. */
  public double amplification() {
    return (double) accesses() / demands();
  }

  /** Nanoseconds that the accesses of the slow device take by its bandwidths, without latencies. */
  public double slowNanos(DeviceSpeed slow) {
    double bytes = TwoLevelCache.LINE_BYTES * NANOS_PER_SECOND;
    return slowReads * bytes / (READ_SHARE * slow.readBytesPerSecond())
        + slowWrites * bytes / (WRITE_SHARE * slow.writeBytesPerSecond());
  }

  /** The sum of two counts. */
  public TagStats plus(TagStats more) {
    return new TagStats(
        hits + more.hits,
        missesClean + more.missesClean,
        missesDirty + more.missesDirty,
        ownedWrites + more.ownedWrites,
        fastReads + more.fastReads,
        fastWrites + more.fastWrites,
        slowReads + more.slowReads,
        slowWrites + more.slowWrites);
  }

  /** What was counted since an earlier snapshot. */
  public TagStats since(TagStats before) {
    return new TagStats(
        hits - before.hits,
        missesClean - before.missesClean,
        missesDirty - before.missesDirty,
        ownedWrites - before.ownedWrites,
        fastReads - before.fastReads,
        fastWrites - before.fastWrites,
        slowReads - before.slowReads,
        slowWrites - before.slowWrites);
  }
}
