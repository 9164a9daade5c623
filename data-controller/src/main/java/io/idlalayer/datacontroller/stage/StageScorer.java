package io.idlalayer.datacontroller.stage;

import java.util.List;

/** Gives evaluated samples a score; a stage classifier makes stages of it. One thread. */
public interface StageScorer {
  /**
   * Takes an update into account, before its samples are scored.
   *
   * @param meanFacts mean facts of its samples
   */
  default void observe(double[] meanFacts) {}

  /**
   * Takes the quality that the model had after the update observed last, until now.
   *
   * @param quality higher is better
   */
  default void quality(double quality) {}

  /** Returns the score of a sample by its facts. Allocates nothing. */
  double score(double[] facts);

  /** Returns the rules behind the score, as text; empty if there are none. */
  default List<String> rules() {
    return List.of();
  }

  /**
   * Returns how strongly each rule fired in the score given last, in the order of {@link #rules()}.
   */
  default double[] strengths() {
    return new double[0];
  }

  /** Returns the scorer's memory, versioned; empty if it has none. */
  default byte[] snapshot() {
    return new byte[0];
  }

  /** Takes {@link #snapshot()} back. */
  default void restore(byte[] snapshot) {}
}
