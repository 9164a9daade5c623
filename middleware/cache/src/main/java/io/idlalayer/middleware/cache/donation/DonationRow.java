package io.idlalayer.middleware.cache.donation;

/**
 * A row of training data for task-time models: a measured task time and the conditions under which
 * it was measured.
 *
 * @param jobType the type of application, which has a model of its own; not blank
 * @param donationMib what the owner gave to the cache
 * @param seconds mean time of a task or batch
 */
public record DonationRow(
    String jobType, double donationMib, TaskConditions conditions, double seconds) {
  /**
   * Creates a row and checks its values.
   *
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
