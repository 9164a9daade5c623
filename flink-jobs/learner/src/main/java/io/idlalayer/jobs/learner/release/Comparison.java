package io.idlalayer.jobs.learner.release;

import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.ModelComparison;
import io.idlalayer.modelcontroller.quality.ScoredBatch;

/** One model, or several after each other, against the baseline. Confined to one thread. */
final class Comparison {
  private static final long NEVER = Long.MIN_VALUE;

  private final long number;
  private final ModelComparison test;

  /** Number of the last model that scored samples in it. */
  private long modelScored = NEVER;

  /** When it was found first that the version in service is to be rolled back. */
  private long foundWorseMillis = NEVER;

  /** How often that has failed. */
  private int failures;

  /**
   * @param number tells it from others
   * @param trusted how many trusted samples models are compared on; 0 for those that arrive
   */
  Comparison(long number, GateSettings settings, int trusted) {
    this.number = number;
    test = new ModelComparison(settings, trusted);
  }

  long number() {
    return number;
  }

  /** Takes a batch that came back from the scorer. Returns whether it belongs here. */
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

  /** Whether it is good, and a model with this number or a later one has scored samples in it. */
  boolean praises(long model) {
    return verdict() == ModelComparison.Verdict.GOOD && modelScored >= model;
  }

  void foundWorse(long nowMillis) {
    if (foundWorseMillis == NEVER) {
      foundWorseMillis = nowMillis;
    }
  }

  /** When {@link #foundWorse} was said first of what is rolled back now. */
  long foundWorseMillis() {
    if (foundWorseMillis == NEVER) {
      throw new IllegalStateException("nothing is to be rolled back");
    }
    return foundWorseMillis;
  }

  /** A rollback is over: what is found from now on is another one. */
  void rolledBack() {
    foundWorseMillis = NEVER;
  }

  /** A rollback has failed. */
  void failed() {
    failures++;
  }

  /** Whether a rollback has failed, so that people were told. */
  boolean hasFailed() {
    return failures > 0;
  }

  /** People have carried the rollback out in another way. */
  void yielded() {
    foundWorseMillis = NEVER;
    failures = 0;
  }
}
