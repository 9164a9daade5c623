package io.idlalayer.datacontroller.api;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.store.SampleIndex;
import java.util.Arrays;

/**
 * Marks samples as being in a training, and removes the marks when the training ends. While the
 * training runs, labels of its samples can be taken back and given again. A sample whose label was
 * taken back no longer belongs to the training, and is possibly deleted.
 */
final class TrainingMarks {
  private final SampleIndex index;

  TrainingMarks(SampleIndex index) {
    this.index = index;
  }

  /**
   * Marks all samples of a selection as being in training. If a sample is not stored, no sample is
   * marked.
   *
   * @throws IllegalStateException if a sample is not stored
   */
  void set(Selection selection) {
    int[] slots = Arrays.stream(selection.ids()).mapToInt(index::require).toArray();
    for (int slot : slots) {
      index.inTraining(slot, true);
    }
  }

  /**
   * The samples of a selection at the end of their training, divided by what happened to their
   * labels during the training.
   *
   * @param untouchedNewIds new samples whose labels were not taken back during the training
   * @param withdrawnIds samples whose labels were taken back and not given again
   */
  record Ended(long[] untouchedNewIds, long[] withdrawnIds) {}

  /** Removes the marks of a selection whose training has ended. */
  Ended clear(Selection selection) {
    Ended ended = new Ended(marked(selection.newIds(), true), marked(selection.ids(), false));
    for (long id : selection.ids()) {
      int slot = index.slotOf(id);
      if (slot != SampleIndex.ABSENT) {
        index.inTraining(slot, false);
      }
    }
    return ended;
  }

  /**
   * Returns the given samples that are stored, are still marked, and have a label (or have none).
   */
  private long[] marked(long[] ids, boolean labeled) {
    long[] found = new long[ids.length];
    int count = 0;
    for (long id : ids) {
      int slot = index.slotOf(id);
      if (slot != SampleIndex.ABSENT && index.inTraining(slot) && index.labeled(slot) == labeled) {
        found[count++] = id;
      }
    }
    return Arrays.copyOf(found, count);
  }
}
