package io.idlalayer.jobs.events;

import java.util.List;
import java.util.Map;

/**
 * The moves of samples between life stages in one update.
 *
 * @param counts number of evaluated and aged samples by {@code BEFORE>AFTER}
 * @param traced moves of one sample in 64; the choice of samples does not change, so that their
 *     histories are complete
 */
public record StageMoves(Map<String, Integer> counts, List<Move> traced) {
  /**
   * One move.
   *
   * @param cause SCORE, NOISE, AGE, KNOWN or WEIGHTLESS
   */
  public record Move(
      long sampleId,
      String before,
      String after,
      double score,
      double contribution,
      String cause) {}
}
