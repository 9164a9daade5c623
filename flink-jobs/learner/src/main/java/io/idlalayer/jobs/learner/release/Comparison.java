package io.idlalayer.jobs.learner.release;

import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.ModelComparison;
import io.idlalayer.modelcontroller.quality.ScoredBatch;

/**
 * The comparison of one model, or of several models in succession, with the baseline. Confined to
 * one thread.
 */
final class Comparison {
  private static final long NEVER = Long.MIN_VALUE;

  private final long number;
  private final ModelComparison test;

  /** Number of the last model that scored samples in this comparison. */
  private long modelScored = NEVER;

  /**
   * Time in milliseconds at which the comparison first found that the version in service must be
   * rolled back.
   */
  private long foundWorseMillis = NEVER;

  /** Number of rollbacks in this comparison that failed. */
  private int failures;

  /**
   * @param number number that identifies the comparison
   * @param trusted number of trusted samples on which models are compared; 0 to compare on arriving
   *     samples
   */
  Comparison(long number, GateSettings settings, int trusted) {
    this.number = number;
    test = new ModelComparison(settings, trusted);
  }

  long number() {
    return number;
  }

  /**
   * Adds the scores of a batch to the comparison. Returns whether the batch belongs to this
   * comparison.
   */
  boolean add(ScoredBatch batch) {
    ScoredBatch.Rival rival = batch.rival();
    if (rival == null || rival.comparison() != number) {
      return false;
    }
    test.add(batch);
    modelScored = rival.model();
    return true;
  }

  ModelComparison.Verdict verdict() {
    return test.verdict();
  }

  long samples() {
    return test.samples();
  }

  double difference() {
    return test.difference();
  }

  /**
   * Returns whether the comparison has found its models good enough, on scores of model {@code
   * model} or of a later one.
   */
  boolean praises(long model) {
    return verdict() == ModelComparison.Verdict.GOOD && modelScored >= model;
  }

  void foundWorse(long nowMillis) {
    if (foundWorseMillis == NEVER) {
      foundWorseMillis = nowMillis;
    }
  }

  /** Returns when the present rollback was first found necessary, in milliseconds. */
  long foundWorseMillis() {
    if (foundWorseMillis == NEVER) {
      throw new IllegalStateException("nothing is to be rolled back");
    }
    return foundWorseMillis;
  }

  /** Records that a rollback is over; a later finding is a new one. */
  void rolledBack() {
    foundWorseMillis = NEVER;
  }

  /** Records that a rollback has failed. */
  void failed() {
    failures++;
  }

  /** Returns whether a rollback has failed. The failure was then reported. */
  boolean hasFailed() {
    return failures > 0;
  }

  /** Records that a user has put another version in service instead of the rollback. */
  void yielded() {
    foundWorseMillis = NEVER;
    failures = 0;
  }
}
