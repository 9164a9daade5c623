package io.idlalayer.benchmarks.rows.fixed;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * A slow device on which all rows of a base lie. Rows are really copied, from DRAM; at the end of a
 * call its thread waits for what the device would have taken longer: for each access the difference
 * of a copy's times on both. Writes are rounded up to what the device writes at once. There is no
 * processor's cache in front of it: a row that is read again costs again. One thread.
 */
public final class EmulatedDevice implements RowMedium {
  /** The other end of each access takes no time. */
  private static final DeviceSpeed UNLIMITED = DeviceSpeed.symmetric(Double.POSITIVE_INFINITY, 0);

  private final EmulatedWait wait;
  private final long readNanos;
  private final long writeNanos;
  private long reads;
  private long writes;
  private long owedNanos;

  /**
   * @param slow the device, for one thread
   * @param dram what it is compared with
   * @param rowBytes of each access
   */
  public EmulatedDevice(DeviceSpeed slow, DeviceSpeed dram, long rowBytes, EmulatedWait wait) {
    this.wait = wait;
    readNanos = Math.max(0, readNanos(slow, rowBytes) - readNanos(dram, rowBytes));
    writeNanos = Math.max(0, writeNanos(slow, rowBytes) - writeNanos(dram, rowBytes));
  }

  /** Nanoseconds of reading bytes. */
  public static long readNanos(DeviceSpeed speed, long bytes) {
    return TierModel.copyNanos(speed, UNLIMITED, bytes);
  }

  private static long writeNanos(DeviceSpeed speed, long bytes) {
    int granule = speed.writeGranuleBytes();
    return TierModel.copyNanos(UNLIMITED, speed, (bytes + granule - 1) / granule * granule);
  }

  @Override
  public void hasRead() {
    reads++;
    owedNanos += readNanos;
  }

  @Override
  public void hasWritten() {
    writes++;
    owedNanos += writeNanos;
  }

  @Override
  public void settle() {
    long owed = owedNanos;
    owedNanos = 0;
    wait.elapse(owed);
  }

  /** Nanoseconds that reading a row takes longer than from DRAM. */
  public long readNanos() {
    return readNanos;
  }

  /** Nanoseconds that writing a row takes longer than to DRAM. */
  public long writeNanos() {
    return writeNanos;
  }

  /** Rows read since the start. */
  public long reads() {
    return reads;
  }

  /** Rows written since the start. */
  public long writes() {
    return writes;
  }
}
