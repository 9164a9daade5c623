package io.idlalayer.middleware.cache.donation;

import io.idlalayer.middleware.cache.CacheOwner;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * An owner whose donation is planned; made by {@link DonationRounds#join}. What its tasks take is
 * reported by any thread, what is learned of it is guarded by the rounds.
 */
public final class DonationMember {
  static final long NONE = -1;

  private final CacheOwner owner;
  private final String jobType;
  private final LongSupplier nanoClock;
  private final LongAdder tasks = new LongAdder();
  private final LongAdder taskNanos = new LongAdder();

  /** Guarded by the rounds. */
  long changedNanos;

  boolean probesUp = true;
  private boolean changedSinceRow;
  private long tasksSinceRow;
  private long nanosSinceRow;
  private long tasksOfRows;
  private double seconds1 = NONE;
  private double seconds2 = NONE;
  private double memoryMib1;
  private double memoryMib2;

  DonationMember(CacheOwner owner, String jobType, LongSupplier nanoClock) {
    this.owner = owner;
    this.jobType = jobType;
    this.nanoClock = nanoClock;
    changedNanos = nanoClock.getAsLong();
  }

  /** Returns the clock of the rounds, to time tasks with. */
  public long nanoTime() {
    return nanoClock.getAsLong();
  }

  /** A task or batch was done; any thread, allocates nothing. */
  public void taskDone(long nanos) {
    tasks.increment();
    taskNanos.add(nanos);
  }

  CacheOwner owner() {
    return owner;
  }

  String jobType() {
    return jobType;
  }

  long donatedMib() {
    return owner.donatedBytes() >> 20;
  }

  void changed(long nowNanos) {
    changedNanos = nowNanos;
    changedSinceRow = true;
  }

  /** Tasks since this was asked last. */
  long takeTasks() {
    long count = tasksOfRows;
    tasksOfRows = 0;
    return count;
  }

  /** Task times one row and two rows before are known. */
  boolean hasLags() {
    return seconds2 != NONE;
  }

  TaskConditions conditions(double memoryMib, int executors, double gcShare) {
    return new TaskConditions(
        memoryMib, executors, gcShare, seconds1, seconds2, memoryMib1, memoryMib2);
  }

  /**
   * Mean task time since the last row; NaN if no task was done, or if the donation changed in
   * between and the cache had yet to fill or empty.
   */
  double takeSeconds() {
    long count = tasks.sum();
    long nanos = taskNanos.sum();
    double mean = (nanos - nanosSinceRow) / 1e9 / (count - tasksSinceRow);
    boolean clean = count > tasksSinceRow && !changedSinceRow;
    tasksOfRows += count - tasksSinceRow;
    tasksSinceRow = count;
    nanosSinceRow = nanos;
    changedSinceRow = false;
    return clean ? mean : Double.NaN;
  }

  void remember(double seconds, double memoryMib) {
    memoryMib2 = seconds1 == NONE ? memoryMib : memoryMib1;
    memoryMib1 = memoryMib;
    seconds2 = seconds1;
    seconds1 = seconds;
  }
}
