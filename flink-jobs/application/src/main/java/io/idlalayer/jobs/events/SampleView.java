package io.idlalayer.jobs.events;

import java.util.Map;

/**
 * Why a sample has its stage; the answer to a question for it.
 *
 * @param asked the id that was asked for: the event's own, or {@code #} and the sample's number;
 *     see {@link #asked(String)}
 * @param found whether the learner has such a sample; the rest means nothing if not
 * @param stage NEWBORN, MATURE, PRESERVE or DISCARD
 * @param score what decided at its last evaluation
 * @param scoreNow what the same facts would score now
 * @param facts what the score rests on, by name
 * @param strengths how strongly each rule fires on these facts; empty if no rules decide
 * @param loss last known loss, -1 when never measured
 * @param evaluations how often it was evaluated
 * @param lastUpdate number of the last update that trained on it, 0 for none
 * @param idOccurrences how often its ids came in training, by feature; the rarest of a list, 0 for
 *     one without a row. Empty if the model has no tables
 */
public record SampleView(
    String asked,
    boolean found,
    long sampleId,
    String stage,
    boolean labeled,
    double score,
    double scoreNow,
    Map<String, Double> facts,
    Map<String, Double> strengths,
    double loss,
    int evaluations,
    int lastUpdate,
    Map<String, Integer> idOccurrences) {
  private static final int ID_LENGTH = 512;

  /** Returns this view with the number of occurrences of each of the sample's ids. */
  public SampleView withIds(Map<String, Integer> occurrences) {
    return new SampleView(
        asked,
        found,
        sampleId,
        stage,
        labeled,
        score,
        scoreNow,
        facts,
        strengths,
        loss,
        evaluations,
        lastUpdate,
        occurrences);
  }

  /** How an answer names the id that was asked for: a long one by its start and its hash. */
  public static String asked(String id) {
    return id.length() <= ID_LENGTH
        ? id
        : "%s... (%,d characters, %08x)"
            .formatted(id.substring(0, ID_LENGTH), id.length(), id.hashCode());
  }
}
