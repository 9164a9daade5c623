package io.idlalayer.datacontroller.intake;

import io.idlalayer.datacontroller.settings.DefaultLabel;
import io.idlalayer.datacontroller.store.LabelSource;
import io.idlalayer.datacontroller.store.SampleIndex;

/**
 * The stored events for which no label has come yet, in the order in which they came. An event that
 * has waited long enough gets the default label. Events without an id, and events whose label was
 * taken back, are not in the queue. Confined to one thread.
 */
public final class AwaitedLabels {
  /** The id that means "no sample". */
  static final long NONE = 0;

  /**
   * Ids of events that got their label are removed when they outnumber the ids of waiting events by
   * this number.
   */
  private static final int SLACK = 1_000;

  private final DefaultLabel byDefault;
  private final SampleIndex index;
  private final WaitingQueue ids = new WaitingQueue();
  private long notBeforeMillis = Long.MIN_VALUE;

  public AwaitedLabels(DefaultLabel byDefault, SampleIndex index) {
    this.byDefault = byDefault;
    this.index = index;
  }

  /** Adds a stored event without a label. */
  public void add(long id) {
    if (!byDefault.given() || !waits(id)) {
      return;
    }
    ids.add(id);
    if (ids.size() > 2 * index.unlabeled() + SLACK) {
      ids.retain(this::waits);
    }
  }

  /** Sorts the queue by the time at which the events came. */
  public void sort(WaitingQueue.Order order) {
    ids.sort(order);
  }

  /**
   * Delays default labels after a restart, so that labels that were sent while no learner ran are
   * read first. The delay is as long as no learner ran, but at most the waiting time of the
   * settings.
   *
   * @param stoppedMillis time for which no learner ran
   */
  public void resumed(long stoppedMillis, long nowMillis) {
    notBeforeMillis = nowMillis + Math.min(byDefault.afterMillis(), Math.max(0, stoppedMillis));
  }

  /**
   * Removes and returns the event that has waited longest, if it is due; {@link #NONE} if no event
   * is due.
   *
   * @param all whether every event is due
   */
  long takeDue(long nowMillis, boolean all) {
    while (ids.size() > 0) {
      long id = ids.id(0);
      if (waits(id)) {
        long waited = nowMillis - index.arrivedAtMillis(index.require(id));
        boolean due = nowMillis >= notBeforeMillis && waited >= byDefault.afterMillis();
        if (!due && !all) {
          return NONE;
        }
        return ids.takeFirst();
      }
      ids.takeFirst();
    }
    return NONE;
  }

  private boolean waits(long id) {
    int slot = index.slotOf(id);
    return slot != SampleIndex.ABSENT
        && !index.labeled(slot)
        && !index.labelOnly(slot)
        && index.hasEventId(slot)
        && index.source(slot) != LabelSource.WITHDRAWN;
  }
}
