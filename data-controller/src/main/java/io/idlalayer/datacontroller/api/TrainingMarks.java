package io.idlalayer.datacontroller.api;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.store.SampleIndex;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Marks samples as being in a training, and removes the marks when the training ends. While it
 * runs, labels of its samples may be taken back, and given again: such a sample has nothing to do
 * with the training any more, and may even have been deleted.
 */
final class TrainingMarks {
  private final SampleIndex index;

  TrainingMarks(SampleIndex index) {
    this.index = index;
  }

  /**
   * Marks all samples of a selection as being in training, or none if one of them is not stored.
   *
   * @throws IllegalStateException if one is not stored
   */
  void set(Selection selection) {
    int[] slots = Arrays.stream(selection.ids()).mapToInt(index::require).toArray();
    for (int slot : slots) {
      index.inTraining(slot, true);
    }
  }

  /**
   * The samples of a selection at the end of their training, by what happened to their labels
   * meanwhile.
   *
   * @param untouchedNewIds new samples whose labels were not taken back meanwhile
   * @param withdrawnIds samples whose labels were taken back and not given again
   */
  record Ended(long[] untouchedNewIds, long[] withdrawnIds) {}

  /** Removes the marks of a selection whose training has ended. */
  Ended clear(Selection selection) {
    LongPredicate training = id -> index.holds(id) && index.inTraining(index.require(id));
    LongPredicate labeled = id -> index.labeled(index.require(id));
    Ended ended =
        new Ended(
            Arrays.stream(selection.newIds()).filter(training.and(labeled)).toArray(),
            Arrays.stream(selection.ids()).filter(training.and(labeled.negate())).toArray());
    Arrays.stream(selection.ids())
        .filter(index::holds)
        .forEach(id -> index.inTraining(index.require(id), false));
    return ended;
  }
}
