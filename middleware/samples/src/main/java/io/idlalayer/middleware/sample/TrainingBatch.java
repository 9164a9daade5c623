package io.idlalayer.middleware.sample;

import java.util.List;

/**
 * The rows of one training update in their order: new samples and replayed ones.
 *
 * @param updateNumber number of the update this batch belongs to, from 1
 * @param rows every row labelled; never empty
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
