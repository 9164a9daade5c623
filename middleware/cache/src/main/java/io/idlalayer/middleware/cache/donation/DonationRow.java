package io.idlalayer.middleware.cache.donation;

/**
 * A task time and the conditions it was measured under: what task-time models learn from.
 *
 * @param jobType the type of application, which has a model of its own; not blank
 * @param donationMib what the owner gave to the cache
 * @param seconds mean time of a task or batch
 */
public record DonationRow(
    String jobType, double donationMib, TaskConditions conditions, double seconds) {
  /**
   * @throws IllegalArgumentException naming what is not finite, negative or blank
   */
  public DonationRow {
    if (jobType.isBlank()) {
      throw new IllegalArgumentException("jobType is blank");
    }
    TaskConditions.notNegative("donationMib", donationMib);
    TaskConditions.notNegative("seconds", seconds);
  }
}
