package io.idlalayer.datacontroller;

import java.util.Arrays;

/**
 * The samples of one update.
 *
 * @param newIds samples to be trained for the first time, ascending
 * @param replayedIds trained samples that train again, ascending
 */
public record Selection(long updateNumber, long[] newIds, long[] replayedIds) {
  /** How many samples the update trains on. */
  int size() {
    return newIds.length + replayedIds.length;
  }

  /** All ids, ascending. */
  long[] ids() {
    long[] ids = Arrays.copyOf(newIds, size());
    System.arraycopy(replayedIds, 0, ids, newIds.length, replayedIds.length);
    Arrays.sort(ids);
    return ids;
  }
}
