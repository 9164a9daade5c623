package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;

/**
 * The findings of a learner about a mixed model that is not published yet: by how much the model is
 * worse than the baseline on samples on which neither was trained. The array is not copied.
 *
 * @param round round of the mixed model
 * @param differences for each sample, the difference, in [-1, 1], above 0 if the mixed model is
 *     worse than the baseline; empty if the learner has no samples yet
 * @param problem why the learner compares no more samples, as a sentence without its subject; "" if
 *     there is nothing to report
 */
public record CandidateScores(
    String application,
    int partition,
    String incarnation,
    long round,
    double[] differences,
    String problem)
    implements MixingMessage {
  static final StateFormat FORMAT = StateFormat.first("candidate scores");

  @Override
  public byte[] encode() {
    return FORMAT
        .writer()
        .putText(1, application)
        .putInt(2, partition)
        .putText(3, incarnation)
        .putLong(4, round)
        .putDoubles(5, differences)
        .putText(6, problem)
        .bytes();
  }

  /**
   * Decodes what {@link #encode} has written.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not encoded
   *     scores
   */
  public static CandidateScores decode(byte[] bytes) {
    StateReader in = FORMAT.reader(bytes);
    for (double each : in.getDoubles(5)) {
      if (!(each >= -1 && each <= 1)) {
        throw in.refused("a difference is %s, and must be in [-1, 1]".formatted(each));
      }
    }
    return new CandidateScores(
        in.getText(1), in.getInt(2), in.getText(3), in.getLong(4), in.getDoubles(5), in.getText(6));
  }
}
