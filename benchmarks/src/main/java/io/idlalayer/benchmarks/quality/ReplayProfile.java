package io.idlalayer.benchmarks.quality;

import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.TrainingResult;

/**
 * The kind of samples on which the updates of a run trained. Values are means over all rows, and
 * NaN if there were no rows.
 *
 * @param newLoss loss of new samples before they were trained
 * @param replayedLoss loss of replayed samples after their last training before the update
 * @param replayedAge number of samples that were stored after a replayed sample
 * @param replayedWrong share of replayed samples whose given label is not the true one
 */
record ReplayProfile(
    double newLoss, double replayedLoss, double replayedAge, double replayedWrong) {
  /** The profile of a run that trains without replay of stored samples. */
  static final ReplayProfile NOTHING =
      new ReplayProfile(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

  /** Adds up the values of a profile. */
  static final class Sums {
    private final DriftStream stream;
    private final ObservedStore store;
    private double newLoss;
    private double replayedLoss;
    private double replayedAge;
    private long replayedWrong;
    private long fresh;
    private long replayed;

    /**
     * @param store tells with which event a sample came
     */
    Sums(DriftStream stream, ObservedStore store) {
      this.stream = stream;
      this.store = store;
    }

    private boolean wrong(long id) {
      int event = store.eventOf(id);
      return stream.samples()[event].label() != stream.trueLabels()[event];
    }

    void trained(TrainingBatch batch, TrainingResult result) {
      for (int i = 0; i < batch.rows().size(); i++) {
        TrainingRow row = batch.rows().get(i);
        float loss = result.contributions().get(i).lossBefore();
        if (row.fresh()) {
          fresh++;
          newLoss += loss;
        } else {
          replayed++;
          replayedLoss += loss;
          replayedAge += store.newest() - row.sampleId();
          replayedWrong += wrong(row.sampleId()) ? 1 : 0;
        }
      }
    }

    ReplayProfile profile() {
      return new ReplayProfile(
          newLoss / fresh,
          replayedLoss / replayed,
          replayedAge / replayed,
          (double) replayedWrong / replayed);
    }
  }
}
