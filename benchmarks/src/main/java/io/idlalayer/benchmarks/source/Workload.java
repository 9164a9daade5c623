package io.idlalayer.benchmarks.source;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;

/** What one run learns, and how well. One thread. */
interface Workload {
  ModelSpec spec();

  List<Sample> samples();

  /** Most earlier samples that an update trains again; 0 if none ever does. */
  int replayBudget();

  /** Makes the trainer. */
  Trainer trainer();

  /** Loads models, and hears what they predict. */
  Scorer.ModelFactory models();

  /** A sample arrives, before the learner gets it. */
  void arrived(Sample sample);

  /** Some time has passed since the start. */
  void passed(long millis);

  /** Processor time of predicting and judging since the start, in nanoseconds. */
  long judgingNanos();

  /** What has come of all samples. */
  Outcome.Quality quality();
}
