package io.idlalayer.jobs.mixing;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** The lengths of the progress of recent contributions. Confined to one thread. */
final class RecentLengths {
  private static final int RECENT = 32;

  /** Least number of lengths of which the median is considered typical. */
  private static final int ENOUGH = 5;

  private final Deque<Double> recent = new ArrayDeque<>();

  void add(double length) {
    if (!(length > 0)) {
      return;
    }
    recent.addLast(length);
    if (recent.size() > RECENT) {
      recent.removeFirst();
    }
  }

  /** Returns the median; 0 if too few lengths are known. */
  double median() {
    if (recent.size() < ENOUGH) {
      return 0;
    }
    double[] sorted = snapshot();
    Arrays.sort(sorted);
    return sorted[(sorted.length - 1) / 2];
  }

  double[] snapshot() {
    return recent.stream().mapToDouble(Double::doubleValue).toArray();
  }

  void restore(double[] lengths) {
    recent.clear();
    Arrays.stream(lengths).forEach(this::add);
  }
}
