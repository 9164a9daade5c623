package io.idlalayer.benchmarks.campaign.input;

import org.jspecify.annotations.Nullable;

/**
 * What one event is once it is read.
 *
 * @param refusal why it is malformed; null if it is not
 * @param id its own id; "" if it has none
 * @param features its features in a form in which equal ones are equal texts; "" if it has none
 * @param label its class or target in such a form; "" if it has none
 */
public record Reading(@Nullable Refusal refusal, String id, String features, String label) {
  /** Creates the reading of a malformed event. */
  public static Reading refused(Refusal why) {
    return new Reading(why, "", "", "");
  }

  /** Creates the reading of an event that is not malformed. */
  public static Reading of(String id, String features, String label) {
    return new Reading(null, id, features, label);
  }
}
