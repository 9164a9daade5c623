package io.idlalayer.datacontroller.selection;

import java.util.Arrays;
import java.util.Set;

/**
 * The ids of the samples of one update.
 *
 * @param newIds ids of the samples whose wait ends with this update, ascending
 * @param replayedIds ids of the trained samples that train again, ascending
 * @param passedIds ids of the new samples that are not trained because the model can learn nothing
 *     from them, ascending
 */
public record Selection(long updateNumber, long[] newIds, long[] replayedIds, long[] passedIds) {
  private static final long[] NONE = {};

  /** Creates a selection that trains all its new samples. */
  public Selection(long updateNumber, long[] newIds, long[] replayedIds) {
    this(updateNumber, newIds, replayedIds, NONE);
  }

  /** Returns a copy of this selection without some samples. */
  public Selection without(Set<Long> gone) {
    return new Selection(
        updateNumber, without(newIds, gone), without(replayedIds, gone), without(passedIds, gone));
  }

  /**
   * Returns this selection. If it passes over all of its new samples, returns a selection that
   * trains the last of them, because an update trains at least one new sample.
   */
  public Selection trainingOne() {
    return newIds.length == 0 || passedIds.length < newIds.length
        ? this
        : new Selection(
            updateNumber, newIds, replayedIds, Arrays.copyOf(passedIds, passedIds.length - 1));
  }

  private static long[] without(long[] ids, Set<Long> gone) {
    return Arrays.stream(ids).filter(id -> !gone.contains(id)).toArray();
  }

  /** Returns the ids of the samples that the update trains on, ascending. */
  public long[] trainedIds() {
    return Arrays.stream(ids()).filter(id -> Arrays.binarySearch(passedIds, id) < 0).toArray();
  }

  /** Returns the ids of all samples of the selection, ascending. */
  public long[] ids() {
    long[] ids = Arrays.copyOf(newIds, newIds.length + replayedIds.length);
    System.arraycopy(replayedIds, 0, ids, newIds.length, replayedIds.length);
    Arrays.sort(ids);
    return ids;
  }
}
