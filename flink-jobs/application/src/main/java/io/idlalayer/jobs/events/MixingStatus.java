package io.idlalayer.jobs.events;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A learner's share in a model that the partitions of an application learn together.
 *
 * @param state how the learner's model is related to the mixed model
 * @param round round of the mixed version that the learner adopted last; 0 before the first
 * @param version number of this version; 0 before the first version, if the version does not serve,
 *     and if the learner adopted it before its last start
 * @param adoptedAtMillis when the learner adopted that version, in milliseconds since 1970; 0 if
 *     {@code parts} are not known
 * @param adopted number of versions that the learner has adopted since its last start
 * @param late number of its contributions since its last start that no version contained in time
 * @param waitMillis longest time in milliseconds that the round of that version waited for a
 *     learner
 * @param parts the contributions in this version, one for each partition that took part in its
 *     round; empty before the first version, and after a start until the learner adopts the next
 *     version
 * @param progress length of the progress of this learner's parameters in that round; absent if the
 *     learner did not take part, and if {@code parts} are not known
 * @param notes sentences about progress that was shortened or left out in this round
 */
public record MixingStatus(
    State state,
    long round,
    long version,
    long adoptedAtMillis,
    long adopted,
    long late,
    long waitMillis,
    List<Part> parts,
    @Nullable Double progress,
    List<String> notes) {

  /** The ways in which a learner's model is related to the mixed model. */
  public enum State {
    /** The learner has adopted no version, and contributed nothing. */
    ALONE,
    /** The learner's last contribution waits for a version that contains it. */
    OPEN,
    /** The learner continues from the last version that it has adopted. */
    SETTLED,
    /**
     * No version has contained the learner's last contribution in time; the learner continues
     * alone.
     */
    LATE,
    /** The release gate has refused the mixed model with the learner's last contribution. */
    REFUSED
  }

  /**
   * The part of a mixed version that comes from one partition.
   *
   * @param rows number of new samples from which the partition's progress in this round comes
   * @param trained number of all new samples that the partition's learner had trained
   * @param progress length of the progress of its parameters; absent if unknown
   */
  public record Part(int partition, long rows, long trained, @Nullable Double progress) {}

  public MixingStatus {
    parts = List.copyOf(parts);
    notes = List.copyOf(notes);
  }

  /**
   * Returns the largest progress of a partition as a multiple of the smallest one; null if fewer
   * than two lengths of progress are known, or if one of them is 0.
   */
  public @Nullable Double progressRatio() {
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    int known = 0;
    for (Part part : parts) {
      Double progress = part.progress();
      if (progress != null) {
        least = Math.min(least, progress);
        most = Math.max(most, progress);
        known++;
      }
    }
    return known < 2 || least <= 0 ? null : most / least;
  }
}
