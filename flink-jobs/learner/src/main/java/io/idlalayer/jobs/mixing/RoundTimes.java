package io.idlalayer.jobs.mixing;

import io.idlalayer.jobs.settings.mixing.MixingSettings;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Computes how long a round waits for a learner: the time in the settings, or else twice the median
 * time in which recent rounds got a contribution of each learner. Rounds that stopped waiting do
 * not count, because otherwise a learner that is always late would make the wait longer and longer.
 * Confined to one thread.
 */
final class RoundTimes {
  /** Wait in milliseconds before the first round was completed. */
  static final long FIRST_MILLIS = 1_000;

  static final long LEAST_MILLIS = 200;
  static final long MOST_MILLIS = 10_000;
  private static final int RECENT = 15;

  private final MixingSettings settings;
  private final Deque<Long> recent = new ArrayDeque<>();

  RoundTimes(MixingSettings settings) {
    this.settings = settings;
  }

  /** Records after how many milliseconds a round had a contribution of each learner. */
  void completed(long millis) {
    recent.addLast(millis);
    if (recent.size() > RECENT) {
      recent.removeFirst();
    }
  }

  /** Returns the longest time in milliseconds that a round waits for a learner now. */
  long waitMillis() {
    if (settings.waitSeconds() != MixingSettings.AUTOMATIC) {
      return Math.max(1, Math.round(settings.waitSeconds() * 1e3));
    }
    if (recent.isEmpty()) {
      return FIRST_MILLIS;
    }
    long[] sorted = recent.stream().mapToLong(Long::longValue).sorted().toArray();
    return Math.max(LEAST_MILLIS, Math.min(MOST_MILLIS, 2 * sorted[(sorted.length - 1) / 2]));
  }

  long[] snapshot() {
    return recent.stream().mapToLong(Long::longValue).toArray();
  }

  void restore(long[] millis) {
    recent.clear();
    Arrays.stream(millis).forEach(this::completed);
  }
}
