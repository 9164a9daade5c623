package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.jobs.topics.DeadLetter;
import java.util.Arrays;

/** What becomes of records that no learner takes. */
public final class RefusedArrivals {
  private static final byte[] NOTHING = {};

  private RefusedArrivals() {}

  /** Returns the dead letter of a refused record. */
  public static DeadLetter letter(Arrival refused) {
    return new DeadLetter(
        LearnerKey.parse(refused.key).application(),
        refused.topic,
        refused.topicPartition,
        refused.offset,
        refused.text,
        refused.origin,
        refused.body,
        refused.length);
  }

  /**
   * Leaves of a refused record what its learner needs, after its dead letter was sent: the learner
   * counts an event by its reason, with an example.
   */
  public static void shorten(Arrival refused) {
    refused.body =
        refused.kind == Arrival.MALFORMED
            ? Arrays.copyOf(refused.body, Math.min(refused.body.length, Refused.EXAMPLE_BYTES))
            : NOTHING;
  }
}
