package io.idlalayer.datacontroller.intake;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLibrary;
import java.util.HashSet;
import java.util.Set;

/**
 * The queue of samples that wait for a label, and of labels that wait for the features of their
 * events, oldest first. If there are more than the limit, the oldest entry is deleted.
 */
public final class UnlabeledQueue {
  /**
   * Ids of samples that got their label are removed when they outnumber the ids of waiting samples
   * by this number.
   */
  private static final int SLACK = 1_000;

  private final int maxUnlabeled;
  private final SampleIndex index;
  private final SampleLibrary library;
  private final EarlyLabels labels;
  private final WaitingQueue ids = new WaitingQueue();

  /**
   * Samples that were added again since the queue was cleaned. These samples can be in the queue
   * twice, because ids stay at their old places when their samples get a label.
   */
  private final Set<Long> anew = new HashSet<>();

  private long expired;

  /**
   * @param maxUnlabeled largest number of samples that wait for a label
   */
  public UnlabeledQueue(
      int maxUnlabeled, SampleIndex index, SampleLibrary library, EarlyLabels labels) {
    this.labels = labels;
    this.maxUnlabeled = maxUnlabeled;
    this.index = index;
    this.library = library;
  }

  /** Adds a new sample. It waits for its label or, if it is only a label, for its features. */
  public void add(long id) {
    while (ids.size() > 0 && !waits(ids.id(ids.size() - 1))) {
      ids.removeLast();
    }
    if (ids.size() > 0 && !waitsLonger(ids.id(ids.size() - 1), id)) {
      clean();
    }
    ids.add(id, this::waitsLonger);
  }

  /**
   * Adds a sample that waits for a label again, at the place that follows from the time since which
   * it waits, which is nearly always the end. If the label was taken back during a training of the
   * sample, it is added when that training ends.
   */
  public void addAnew(long id) {
    if (anew.size() >= SLACK) {
      clean();
    }
    anew.add(id);
    add(id);
  }

  /** Removes repeated entries, so that each waiting sample is in the queue once, at its place. */
  private void clean() {
    ids.retain(this::waits);
    sort();
    long[] last = {0};
    ids.retain(
        id -> {
          boolean first = id != last[0];
          last[0] = id;
          return first;
        });
    anew.clear();
  }

  /** Adds a sample that was read after a restart; {@link #sort} must follow. */
  public void load(long id) {
    ids.add(id);
  }

  /** Sorts the queue by the time since which the samples wait. */
  public void sort() {
    ids.sort(this::waitsLonger);
  }

  private boolean waitsLonger(long id, long other) {
    long since = index.arrivedAtMillis(index.require(id));
    long otherSince = index.arrivedAtMillis(index.require(other));
    return since != otherSince ? since < otherSince : id < other;
  }

  /**
   * Deletes the oldest samples above the limit, unless too many given-up labels wait to be taken.
   * Ids of samples that got their label in the meantime are skipped.
   */
  public void trim() {
    if (ids.size() > 2 * index.unlabeled() + SLACK) {
      ids.retain(this::waits);
    }
    passOver();
    while (ids.size() > 0 && !labels.crowded() && index.unlabeled() > maxUnlabeled) {
      if (anew.contains(ids.id(0))) {
        clean();
      }
      long id = ids.takeFirst();
      int lost = labels.lost(LostLabel.Cause.TOO_MANY, id);
      expired += lost == 0 ? 1 : 0;
      library.delete(id);
      passOver();
    }
  }

  /** Removes ids at the beginning of the queue that do not wait any more. */
  private void passOver() {
    while (ids.size() > 0 && !waits(ids.id(0))) {
      ids.takeFirst();
    }
  }

  private boolean waits(long id) {
    int slot = index.slotOf(id);
    return slot != SampleIndex.ABSENT && !index.labeled(slot) && !index.inTraining(slot);
  }

  /** Returns the number of samples that were deleted because no label came. */
  public long expired() {
    return expired;
  }

  /** Sets the number of expired samples to the number in a snapshot. */
  public void restore(long expiredSamples) {
    expired = expiredSamples;
  }
}
