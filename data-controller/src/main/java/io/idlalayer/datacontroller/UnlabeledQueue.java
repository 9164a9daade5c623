package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;

/** Samples that wait for a label, oldest first; beyond the limit the oldest is given up. */
final class UnlabeledQueue {
  /** Ids that got their label are dropped when they are more than those that wait, and this. */
  private static final int SLACK = 1_000;

  private final int most;
  private final SampleIndex index;
  private final SampleStore store;
  private final PendingSamples ids = new PendingSamples();
  private long expired;

  UnlabeledQueue(int most, SampleIndex index, SampleStore store) {
    this.most = most;
    this.index = index;
    this.store = store;
  }

  void add(long id) {
    ids.add(id);
  }

  /** Puts all in order. */
  void sort(PendingSamples.Order order) {
    ids.sort(order);
  }

  /** Removes a sample whose label came with content that is stored already. */
  void remove(int slot) {
    long id = index.id(slot);
    index.remove(slot);
    store.remove(new long[] {id});
  }

  /**
   * Gives up the oldest ones over the limit. Ids that got their label meanwhile are passed over.
   */
  void trim() {
    if (ids.size() > 2 * index.unlabeled() + SLACK) {
      ids.retain(this::waits);
    }
    while (ids.size() > 0 && (index.unlabeled() > most || !waits(ids.id(0)))) {
      long id = ids.id(0);
      ids.removeAll(new long[] {id});
      int slot = index.slotOf(id);
      if (waits(id)) {
        index.remove(slot);
        store.remove(new long[] {id});
        expired++;
      }
    }
  }

  private boolean waits(long id) {
    int slot = index.slotOf(id);
    return slot != SampleIndex.ABSENT && !index.labeled(slot) && !index.inTraining(slot);
  }

  long expired() {
    return expired;
  }

  void expired(long restored) {
    expired = restored;
  }
}
