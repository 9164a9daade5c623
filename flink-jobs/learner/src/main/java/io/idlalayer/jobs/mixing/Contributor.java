package io.idlalayer.jobs.mixing;

import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a mixed version about a learner.
 *
 * @param incarnation random name of the learner since its last start; only a learner with this name
 *     is allowed to adopt the version
 * @param version number of the learner's last contribution that the version contains; 0 if it
 *     contains none
 * @param digest digest of this contribution; "" if there is none
 * @param rows number of new samples from which the learner's progress in this round comes; 0 if it
 *     took no part
 * @param trained number of all new samples that the learner had trained
 * @param offsets next input offsets, by "topic-partition"
 * @param idle whether no sample of the learner waited for training
 */
public record Contributor(
    int partition,
    String incarnation,
    long version,
    String digest,
    long rows,
    long trained,
    SortedMap<String, Long> offsets,
    boolean idle) {

  /**
   * Returns the entry of a version about a learner.
   *
   * @param contained newest contribution of the learner that the version contains; null if it
   *     contains none
   */
  static Contributor of(int partition, Member member, @Nullable MixingRecord contained, long rows) {
    MixingRecord joined = member.joined;
    if (contained == null && joined != null) {
      // Only the samples that the learner gave up when it joined count, because no version contains
      // a contribution of it yet.
      return new Contributor(
          partition,
          member.incarnation,
          0,
          "",
          0,
          joined.trained() - joined.rows(),
          joined.offsets(),
          joined.idle() && joined.rows() == 0);
    }
    return contained == null
        ? new Contributor(partition, member.incarnation, 0, "", 0, 0, new TreeMap<>(), false)
        : new Contributor(
            partition,
            member.incarnation,
            contained.version(),
            contained.digest(),
            rows,
            contained.trained(),
            contained.offsets(),
            contained.idle());
  }
}
