package io.idlalayer.datacontroller.stage;

import java.util.List;

/**
 * Gives each evaluated sample a score, from which a stage classifier chooses the life stage.
 * Confined to one thread.
 */
public interface StageScorer {
  /**
   * Receives the mean facts of an update's samples before the samples are scored.
   *
   * @param meanFacts mean facts of the update's samples
   */
  default void observe(double[] meanFacts) {}

  /**
   * Receives the model's quality since the last observed update.
   *
   * @param quality higher is better
   */
  default void quality(double quality) {}

  /** Returns the score of a sample, computed from its facts. The method allocates no objects. */
  double score(double[] facts);

  /** Returns the rules by which scores are computed, as text; empty if there are none. */
  default List<String> rules() {
    return List.of();
  }

  /** Returns how strongly each rule fired for the last score, in the order of {@link #rules()}. */
  default double[] strengths() {
    return new double[0];
  }

  /** Returns the scorer's state as versioned bytes; empty if it has none. */
  default byte[] snapshot() {
    return new byte[0];
  }

  /** Restores the state of a {@link #snapshot()}. */
  default void restore(byte[] snapshot) {}
}
