package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.predictions.PredictedEvent;
import io.idlalayer.jobs.predictions.PredictionLog;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Writes the results of tests to a prediction log: remembers the input positions of the samples of
 * each batch until the results of the batch come back, in the order of the batches. Does nothing if
 * there is no log. Confined to one thread.
 */
final class AwaitedPredictions {
  static final String NO_MODEL = "no model yet";
  private static final String BEHIND = "the test was behind";
  private static final String NOT_FINITE = "the prediction is not a finite number";

  private final PredictionLog log;
  private List<InputPosition> collected = new ArrayList<>();
  private final Deque<Batch> offered = new ArrayDeque<>();

  /**
   * @param update number of the update of the predicting model
   */
  private record Batch(ScoringBatch batch, List<InputPosition> positions, long update) {}

  AwaitedPredictions(PredictionLog log) {
    this.log = log;
  }

  boolean wanted() {
    return log.wanted();
  }

  /** Takes the position of the next sample of the batch that is being collected. */
  void collected(InputPosition at) {
    if (log.wanted()) {
      collected.add(at);
    }
  }

  /** Remembers the collected batch. The model of the given update will predict it. */
  void offered(ScoringBatch batch, long update) {
    if (log.wanted()) {
      offered.add(new Batch(batch, collected, update));
      collected = new ArrayList<>();
    }
  }

  /** Writes the collected samples as unpredicted, because the scorer was too slow. */
  void behind(List<Sample> samples) {
    if (log.wanted()) {
      for (int i = 0; i < samples.size(); i++) {
        unpredicted(collected.get(i), samples.get(i), BEHIND);
      }
      collected = new ArrayList<>();
    }
  }

  /** Writes a sample for which nothing was predicted. */
  void unpredicted(InputPosition at, Sample sample, String reason) {
    if (log.wanted()) {
      add(event(at, sample, 0, Double.NaN, new double[0], Double.NaN, reason));
    }
  }

  /** Writes the results of the oldest offered batch that has no results yet. */
  void scored(ScoredBatch results) {
    if (!log.wanted()) {
      return;
    }
    Batch batch = offered.remove();
    if (batch.batch().sampleIds() != results.sampleIds()) {
      throw new IllegalStateException("these results are not those of the oldest batch that waits");
    }
    List<Sample> samples = results.batch().samples();
    for (int i = 0; i < samples.size(); i++) {
      InputPosition at = batch.positions().get(i);
      if (!results.failure().isEmpty()) {
        unpredicted(at, samples.get(i), results.failure());
        continue;
      }
      double predicted = results.predicted()[i];
      float loss = results.losses()[i];
      if (!Float.isFinite(loss) || !Double.isFinite(predicted)) {
        unpredicted(at, samples.get(i), NOT_FINITE);
      } else {
        add(
            event(
                at,
                samples.get(i),
                batch.update(),
                predicted,
                results.confidence().classes()[i],
                loss,
                ""));
      }
    }
  }

  private static PredictedEvent event(
      InputPosition at,
      Sample sample,
      long update,
      double predicted,
      double[] probabilities,
      double loss,
      String reason) {
    return new PredictedEvent(
        at.partition(),
        at.offset(),
        sample.id(),
        sample.label(),
        sample.weight(),
        update,
        predicted,
        probabilities,
        loss,
        reason);
  }

  private void add(PredictedEvent event) {
    try {
      log.add(event);
    } catch (IOException failed) {
      throw new LastingFailureException(
          "predictions cannot be written any more: " + failed.getMessage(), failed);
    }
  }

  /** Makes the rows so far visible to readers. */
  void flush() {
    try {
      log.flush();
    } catch (IOException failed) {
      throw new LastingFailureException(
          "predictions cannot be written any more: " + failed.getMessage(), failed);
    }
  }
}
