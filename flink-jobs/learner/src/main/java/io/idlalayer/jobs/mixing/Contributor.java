package io.idlalayer.jobs.mixing;

import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a mixed version says of a learner.
 *
 * @param incarnation name of the learner since its last start; only that one may adopt the version
 * @param version number of its last contribution that the version contains; 0 if it contains none
 * @param digest digest of that contribution; "" if it contains none
 * @param rows new samples behind its progress in this round; 0 if it took no part
 * @param trained new samples that it had trained altogether
 * @param offsets next input offsets, by "topic-partition"
 * @param idle whether none of its samples waited for training
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
   * Returns what a version says of a learner.
   *
   * @param contained its newest contribution that the version contains; null if it contains none
   */
  static Contributor of(int partition, Member member, @Nullable MixingRecord contained, long rows) {
    MixingRecord joined = member.joined;
    if (contained == null && joined != null) {
      // Only what it gave up when it joined counts: a model of its own is contained in none yet.
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
