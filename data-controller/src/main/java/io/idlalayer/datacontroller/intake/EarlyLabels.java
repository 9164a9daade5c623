package io.idlalayer.datacontroller.intake;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLibrary;

/**
 * The labels that came before the features of their events, in the order in which they came. One
 * that has waited too long is given up. They are stored as samples without features, so they are
 * bounded with the {@link UnlabeledQueue} and survive as samples do. Confined to one thread.
 */
public final class EarlyLabels {
  /**
   * Number by which ids of labels that found their events must outnumber the waiting ones before
   * they are dropped.
   */
  private static final int SLACK = 1_000;

  private final long waitMillis;
  private final SampleIndex index;
  private final SampleLibrary library;
  private final WaitingQueue ids = new WaitingQueue();
  private int givenUp;

  /**
   * @param waitMillis longest time that a label waits
   */
  public EarlyLabels(long waitMillis, SampleIndex index, SampleLibrary library) {
    this.waitMillis = waitMillis;
    this.index = index;
    this.library = library;
  }

  /** Adds a label that was stored. */
  public void add(long id) {
    ids.add(id);
    if (ids.size() > 2 * index.labelsOnly() + SLACK) {
      ids.retain(this::waits);
    }
  }

  /** Sorts the queue by the time at which the labels came. */
  public void sort(WaitingQueue.Order order) {
    ids.sort(order);
  }

  /** Gives up the labels that have waited too long. */
  public void giveUp(long nowMillis) {
    while (ids.size() > 0) {
      long id = ids.id(0);
      boolean waits = waits(id);
      if (waits && nowMillis - index.arrivedAtMillis(index.require(id)) < waitMillis) {
        return;
      }
      ids.removeAll(new long[] {id});
      if (waits) {
        lost(id);
        library.delete(id);
      }
    }
  }

  /**
   * Counts those of some stored samples that are labels without features; they are about to be
   * deleted. Returns how many.
   */
  int lost(long... sampleIds) {
    int labels = 0;
    for (long id : sampleIds) {
      labels += waits(id) ? 1 : 0;
    }
    givenUp += labels;
    return labels;
  }

  /** Returns the number of labels that were given up since the last call. */
  public int takeGivenUp() {
    int taken = givenUp;
    givenUp = 0;
    return taken;
  }

  private boolean waits(long id) {
    int slot = index.slotOf(id);
    return slot != SampleIndex.ABSENT && index.labelOnly(slot);
  }
}
