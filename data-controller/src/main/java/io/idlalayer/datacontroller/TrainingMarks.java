package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.store.SampleIndex;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Which samples are in a training. While it runs, labels of its samples may be taken back, and
 * given again: such a sample has nothing to do with the training any more, and may even be gone.
 */
final class TrainingMarks {
  private final SampleIndex index;

  TrainingMarks(SampleIndex index) {
    this.index = index;
  }

  void begin(Selection selection) {
    for (long id : selection.ids()) {
      index.inTraining(slot(id), true);
    }
  }

  /** Samples of a selection as they were when their training ended. */
  record Ended(long[] untouchedNewIds, long[] withdrawnIds) {}

  /** A training has ended. Call it before its samples change. */
  Ended ended(Selection selection) {
    LongPredicate training = id -> stored(id) && index.inTraining(slot(id));
    LongPredicate labeled = id -> index.labeled(slot(id));
    return new Ended(
        Arrays.stream(selection.newIds()).filter(training.and(labeled)).toArray(),
        Arrays.stream(selection.ids()).filter(training.and(labeled.negate())).toArray());
  }

  void end(Selection selection) {
    for (long id : selection.ids()) {
      if (stored(id)) {
        index.inTraining(slot(id), false);
      }
    }
  }

  private boolean stored(long sampleId) {
    return index.slotOf(sampleId) != SampleIndex.ABSENT;
  }

  private int slot(long sampleId) {
    int slot = index.slotOf(sampleId);
    if (slot == SampleIndex.ABSENT) {
      throw new IllegalStateException("sample " + sampleId + " is not stored");
    }
    return slot;
  }
}
