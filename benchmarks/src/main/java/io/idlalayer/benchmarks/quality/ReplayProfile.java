package io.idlalayer.benchmarks.quality;

import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.TrainingResult;

/**
 * What kind of samples the updates trained on; means over all rows, NaN where there were none.
 *
 * @param newLoss loss of new samples before their training
 * @param replayedLoss loss of replayed samples when they were trained last
 * @param replayedAge how many samples were stored after a replayed one
 * @param replayedWrong share of replayed samples whose given label is not the true one
 */
record ReplayProfile(
    double newLoss, double replayedLoss, double replayedAge, double replayedWrong) {
  /** The profile of a run that trains in another way. */
  static final ReplayProfile NOTHING =
      new ReplayProfile(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

  /** Adds up. */
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
     * @param store knows which event a sample came with
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
