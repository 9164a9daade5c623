package io.idlalayer.jobs.events;

import java.util.Map;

/**
 * The answer to a question why a sample has its stage.
 *
 * @param asked the id in the question: the event's own, or {@code #} and the sample's number; see
 *     {@link #asked(String)}
 * @param found whether the learner has such a sample; if not, the other fields are meaningless
 * @param stage NEWBORN, MATURE, PRESERVE or DISCARD
 * @param score score that decided the stage at the last evaluation
 * @param scoreNow score that follows from the present facts
 * @param facts facts from which the score is computed, by name
 * @param strengths how strongly each rule fires on these facts; empty if no rules decide
 * @param loss last known loss, -1 when never measured
 * @param evaluations number of evaluations
 * @param lastUpdate number of the last update that trained on the sample; 0 if there is none
 * @param idOccurrences how often the sample's ids occurred in trainings, by feature; for a list of
 *     ids, the number for its rarest id; 0 for an id without a row. Empty if the model has no
 *     tables
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

  /** Returns how an answer names the id in the question: a long id by its start and its hash. */
  public static String asked(String id) {
    return id.length() <= ID_LENGTH
        ? id
        : "%s... (%,d characters, %08x)"
            .formatted(id.substring(0, ID_LENGTH), id.length(), id.hashCode());
  }
}
