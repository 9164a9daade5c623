package io.idlalayer.middleware.cache.donation;

/**
 * A row of training data for task-time models: a measured task time and the conditions under which
 * it was measured.
 *
 * @param jobType the type of application, of which each has its own model; not blank
 * @param donationMib donation of the owner to the cache, in MiB
 * @param seconds mean time of a task or batch
 */
public record DonationRow(
    String jobType, double donationMib, TaskConditions conditions, double seconds) {
  /**
   * The conditions besides the donation that influence the time of a task: memory, number of
   * owners, garbage collection, and the two previous rows. They are the inputs r(t), e_m and xi(t)
   * of the performance model (Rang 2021, chapter 4), and the measured time of garbage collection.
   * The earlier values of r and of the task time y come from the two previous rows.
   *
   * @param memoryMib memory of the process, heap and cache together
   * @param executors number of owners that share this memory, at least 1
   * @param gcShare share of the time that the garbage collector took, in [0, 1]
   * @param seconds1 mean task time one row before
   * @param seconds2 mean task time two rows before
   * @param memoryMib1 memory one row before
   * @param memoryMib2 memory two rows before
   */
  public record TaskConditions(
      double memoryMib,
      int executors,
      double gcShare,
      double seconds1,
      double seconds2,
      double memoryMib1,
      double memoryMib2) {
    /**
     * Creates conditions and checks their values.
     *
     * @throws IllegalArgumentException if a value is not finite or out of range; the message names
     *     it
     */
    public TaskConditions {
      notNegative("memoryMib", memoryMib);
      if (executors < 1) {
        throw new IllegalArgumentException("executors is " + executors + "; at least 1 is needed");
      }
      if (!(gcShare >= 0 && gcShare <= 1)) {
        throw new IllegalArgumentException("gcShare is " + gcShare + "; 0 to 1 is needed");
      }
      notNegative("seconds1", seconds1);
      notNegative("seconds2", seconds2);
      notNegative("memoryMib1", memoryMib1);
      notNegative("memoryMib2", memoryMib2);
    }

    /** Returns these conditions with {@code seconds} in place of both previous task times. */
    TaskConditions settledAt(double seconds) {
      return new TaskConditions(
          memoryMib, executors, gcShare, seconds, seconds, memoryMib1, memoryMib2);
    }
  }

  /**
   * Creates a row and checks its values.
   *
   * @throws IllegalArgumentException if a value is not finite, negative or blank; the message names
   *     it
   */
  public DonationRow {
    if (jobType.isBlank()) {
      throw new IllegalArgumentException("jobType is blank");
    }
    notNegative("donationMib", donationMib);
    notNegative("seconds", seconds);
  }

  private static void notNegative(String name, double value) {
    if (!Double.isFinite(value) || value < 0) {
      throw new IllegalArgumentException(
          name + " is " + value + "; a finite number of 0 or more is needed");
    }
  }
}
