package io.idlalayer.benchmarks.rows.fixed;

import io.idlalayer.benchmarks.emulation.TagStats;
import io.idlalayer.benchmarks.emulation.TwoLevelCache;
import io.idlalayer.middleware.embedding.UniqueRows;
import io.idlalayer.middleware.memory.device.DeviceSpeed;

/**
 * The same slow device behind a cache of its lines in DRAM that the hardware keeps (2LM). Rows are
 * really copied, from and to DRAM; at the end of a call its thread waits for the slow device's part
 * of each access that missed: one latency for the lines of a row, which come side by side, and the
 * lines' bytes at the bandwidths that are left behind the cache. Fills of DRAM overlap with that.
 * Changed lines that must leave are waited for in line with the read, with a latency of their own,
 * though hardware writes them behind it. They are not rounded up to what the device writes at once.
 *
 * <p>Tags are hardware's work, so they are looked up before a call is timed: {@link
 * #prepareLookups} and {@link #prepareUpdates} say what it will do. One thread.
 */
public final class TwoLevelDevice implements RowMedium {
  private final DeviceSpeed slow;
  private final long rowBytes;
  private final TwoLevelCache tags;
  private final EmulatedWait wait;
  private final long savedNanos;
  private final UniqueRows unique = new UniqueRows();
  private long owedNanos;
  private int prepared;
  private int made;

  /**
   * @param slow the device behind the cache, for one thread
   * @param savedNanos of each access that missed: 0 if the slow device is asked once DRAM has
   *     answered with the tag of another line, the time of a read from DRAM if that takes no time
   * @param tags of the cache; row r lies at address r * rowBytes
   */
  public TwoLevelDevice(
      DeviceSpeed slow, long savedNanos, long rowBytes, TwoLevelCache tags, EmulatedWait wait) {
    this.slow = slow;
    this.savedNanos = savedNanos;
    this.rowBytes = rowBytes;
    this.tags = tags;
    this.wait = wait;
  }

  /** Looks the tags up for reading these rows in this order. */
  public void prepareLookups(int[] rows) {
    for (int row : rows) {
      read(row);
    }
  }

  /** Looks the tags up for reading and writing each of these rows once, by first use. */
  public void prepareUpdates(int[] rows, int tableRows) {
    unique.index(rows, rows.length, tableRows);
    for (int ordinal = 0; ordinal < unique.count(); ordinal++) {
      int row = unique.row(ordinal);
      read(row);
      TagStats before = tags.snapshot();
      // The row has just been read: its stores read no line for ownership again.
      tags.write(row * rowBytes, rowBytes, TwoLevelCache.StoreKind.NON_TEMPORAL);
      owe(tags.snapshot().since(before));
    }
  }

  private void read(int row) {
    TagStats before = tags.snapshot();
    tags.read(row * rowBytes, rowBytes);
    owe(tags.snapshot().since(before));
  }

  private void owe(TagStats used) {
    prepared++;
    if (used.slowReads() > 0) {
      long latencies =
          slow.readLatencyNanos() + (used.slowWrites() > 0 ? slow.writeLatencyNanos() : 0);
      owedNanos += Math.max(0, latencies + Math.round(used.slowNanos(slow)) - savedNanos);
    }
  }

  @Override
  public void hasRead() {
    made++;
  }

  @Override
  public void hasWritten() {
    made++;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if the call did not do what was prepared
   */
  @Override
  public void settle() {
    if (made != prepared) {
      throw new IllegalStateException(
          "%d accesses were made and %d prepared".formatted(made, prepared));
    }
    long owed = owedNanos;
    made = 0;
    prepared = 0;
    owedNanos = 0;
    wait.elapse(owed);
  }

  /** What the cache did since the start. */
  public TagStats stats() {
    return tags.snapshot();
  }
}
