package io.idlalayer.datacontroller.evaluation;

import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the moves of samples between life stages in one update. Every move is counted. For a fixed
 * fraction of the samples, chosen by their ids, each single move is also recorded, so that the
 * histories of these samples are complete.
 */
public final class StageReport {
  private static final int TRACED_PART = 64;
  private static final int TRACED_MAX = 256;

  private final int[][] moves = new int[4][4];
  private final List<StageMove> traced = new ArrayList<>();

  /** Returns whether the report records each single move of this sample. */
  public static boolean traced(long sampleId) {
    long mixed = sampleId * BitMixer.GOLDEN_RATIO;
    return Long.remainderUnsigned(mixed ^ (mixed >>> 32), TRACED_PART) == 0;
  }

  void add(StageMove move) {
    moves[move.before().code()][move.after().code()]++;
    if (move.before() != move.after() && traced(move.sampleId()) && traced.size() < TRACED_MAX) {
      traced.add(move);
    }
  }

  /**
   * Returns how many evaluated samples moved from one stage to another; for equal stages, how many
   * did not move.
   */
  public int moves(LifeStage before, LifeStage after) {
    return moves[before.code()][after.code()];
  }

  /** Returns the single moves of traced samples. */
  public List<StageMove> traced() {
    return List.copyOf(traced);
  }
}
