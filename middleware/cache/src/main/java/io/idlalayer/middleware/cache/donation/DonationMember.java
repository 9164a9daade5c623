package io.idlalayer.middleware.cache.donation;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.donation.DonationRow.TaskConditions;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * A cache owner whose donation {@link DonationRounds} plans, with the times of its tasks. {@link
 * DonationRounds#join} creates members. Task times can be reported from any thread; the data
 * learned from them are guarded by the lock of the rounds.
 */
public final class DonationMember {
  static final long NONE = -1;

  private final CacheOwner owner;
  private final String jobType;
  private final LongSupplier nanoClock;
  private final LongAdder tasks = new LongAdder();
  private final LongAdder taskNanos = new LongAdder();

  /** Time of the last change of the donation, by the clock of the rounds; guarded by their lock. */
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

  /**
   * Returns the present time in nanoseconds, by the clock with which the owner must measure its
   * tasks.
   */
  public long nanoTime() {
    return nanoClock.getAsLong();
  }

  /**
   * Records that the owner has done a task or batch in {@code nanos} nanoseconds. Thread-safe;
   * allocates nothing.
   */
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

  /**
   * Returns the number of tasks in the rows of training data since the last call of this method.
   */
  long takeTasks() {
    long count = tasksOfRows;
    tasksOfRows = 0;
    return count;
  }

  /** Returns whether the task times of the two previous rows of training data are known. */
  boolean hasLags() {
    return seconds2 != NONE;
  }

  TaskConditions conditions(double memoryMib, int executors, double gcShare) {
    return new TaskConditions(
        memoryMib, executors, gcShare, seconds1, seconds2, memoryMib1, memoryMib2);
  }

  /**
   * Returns the mean task time in seconds since the last row; NaN if it is not known. The mean is
   * not known if no task was done, or if the donation changed in between, so that the cache was
   * still filling or being emptied.
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
