package io.idlalayer.jobs.learner.update;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Remembers which samples each recent update was the first to train, so that these samples can be
 * given up together with the update's model. The list is empty after a restart. Confined to one
 * thread.
 */
final class FirstTrainings {
  /**
   * Largest number of samples that are remembered. If there are more, the oldest updates are
   * forgotten.
   */
  static final int MOST = 1_000_000;

  private final ArrayDeque<Update> updates = new ArrayDeque<>();
  private int remembered;

  private record Update(long number, long[] ids) {}

  void add(long update, long[] newIds) {
    updates.addLast(new Update(update, newIds.clone()));
    remembered += newIds.length;
    while (remembered > MOST) {
      remembered -= updates.removeFirst().ids().length;
    }
  }

  /** Removes and returns the samples of all updates after {@code update}. */
  long[] takeAfter(long update) {
    long[] ids =
        updates.stream()
            .filter(each -> each.number() > update)
            .flatMapToLong(each -> Arrays.stream(each.ids()))
            .toArray();
    updates.removeIf(each -> each.number() > update);
    remembered -= ids.length;
    return ids;
  }
}
