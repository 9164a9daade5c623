package io.idlalayer.datacontroller.stage;

import java.util.List;

/** Gives evaluated samples a score; a stage classifier makes stages of it. One thread. */
public interface StageScorer {
  /**
   * Takes an update into account, before its samples are scored.
   *
   * @param meanFacts mean facts of its samples
   */
  void observe(double[] meanFacts);

  /**
   * Takes the quality that the model had after the update observed last, until now.
   *
   * @param quality higher is better
   */
  void quality(double quality);

  /** The score of a sample by its facts. Allocates nothing. */
  double score(double[] facts);

  /** The rules behind the score, as text; empty if there are none. */
  List<String> rules();

  /** How strongly each rule fired in the score given last. */
  double[] strengths();

  /** The scorer's memory, versioned. */
  byte[] snapshot();

  /** Takes {@link #snapshot()} back. */
  void restore(byte[] snapshot);
}
