package io.idlalayer.middleware.cache.donation;

/**
 * One line of the donation log: a task time and what it was measured under.
 *
 * @param jobType the type of application, which has a model of its own; not blank
 * @param donationMib what the owner gave to the cache
 * @param seconds mean time of a task or batch
 */
public record DonationRow(
    String jobType, double donationMib, Surroundings surroundings, double seconds) {
  /**
   * @throws IllegalArgumentException naming what is not finite, negative or blank
   */
  public DonationRow {
    if (jobType.isBlank()) {
      throw new IllegalArgumentException("job_type is blank");
    }
    Surroundings.notNegative("donation_mib", donationMib);
    Surroundings.notNegative("seconds", seconds);
  }
}
