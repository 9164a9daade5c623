package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.jobs.topics.DeadLetter;
import java.util.Arrays;

/** The conversion of refused records to dead letters. */
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
   * Shortens a refused record after its dead letter was sent. Only the part that its learner needs
   * is left: the learner counts refused events by reason, with an example.
   */
  public static void shorten(Arrival refused) {
    refused.body =
        refused.kind == Arrival.MALFORMED
            ? Arrays.copyOf(refused.body, Math.min(refused.body.length, Refused.EXAMPLE_BYTES))
            : NOTHING;
  }
}
