package io.idlalayer.middleware.sample;

import java.util.List;

/**
 * The rows of one training update in their order: new samples and replayed samples.
 *
 * @param updateNumber number of the update to which the batch belongs, from 1
 * @param rows rows, all labelled; never empty
 */
public record TrainingBatch(long updateNumber, List<TrainingRow> rows) {
  public TrainingBatch {
    rows = List.copyOf(rows);
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("update " + updateNumber + " has no rows to train on");
    }
  }

  public int freshCount() {
    return (int) rows.stream().filter(TrainingRow::fresh).count();
  }

  public int replayedCount() {
    return rows.size() - freshCount();
  }
}
