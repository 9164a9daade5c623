package io.idlalayer.jobs.events;

import java.util.List;
import java.util.Map;

/**
 * Who moved between life stages in one update.
 *
 * @param counts evaluated and aged samples by {@code BEFORE>AFTER}
 * @param traced each move of one sample in 64, always the same ones, so that their histories are
 *     whole
 */
public record StageMoves(Map<String, Integer> counts, List<Move> traced) {
  /**
   * One move.
   *
   * @param cause SCORE, NOISE, AGE or KNOWN
   */
  public record Move(
      long sampleId,
      String before,
      String after,
      double score,
      double contribution,
      String cause) {}
}
