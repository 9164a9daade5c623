package io.idlalayer.datacontroller.selection;

import java.util.Arrays;
import java.util.Set;

/**
 * The samples of one update.
 *
 * @param newIds samples whose wait ends with this update, ascending
 * @param replayedIds trained samples that train again, ascending
 * @param passedIds those of the new samples that have nothing to teach and are not trained,
 *     ascending
 */
public record Selection(long updateNumber, long[] newIds, long[] replayedIds, long[] passedIds) {
  private static final long[] NONE = {};

  /** A selection that trains all its new samples. */
  public Selection(long updateNumber, long[] newIds, long[] replayedIds) {
    this(updateNumber, newIds, replayedIds, NONE);
  }

  /** The same without some samples. */
  public Selection without(Set<Long> gone) {
    return new Selection(
        updateNumber, without(newIds, gone), without(replayedIds, gone), without(passedIds, gone));
  }

  private static long[] without(long[] ids, Set<Long> gone) {
    return Arrays.stream(ids).filter(id -> !gone.contains(id)).toArray();
  }

  /** Ids of the samples that it trains on, ascending. */
  public long[] trainedIds() {
    return Arrays.stream(ids()).filter(id -> Arrays.binarySearch(passedIds, id) < 0).toArray();
  }

  /** All ids, ascending. */
  public long[] ids() {
    long[] ids = Arrays.copyOf(newIds, newIds.length + replayedIds.length);
    System.arraycopy(replayedIds, 0, ids, newIds.length, replayedIds.length);
    Arrays.sort(ids);
    return ids;
  }
}
