package io.idlalayer.modelcontroller.update;

import java.util.function.IntPredicate;

/**
 * Finds which sample of an upload makes a rule fire. Each sample brings the firing nearer, so the
 * answer is found by bisection.
 */
final class CrossingSearch {
  private CrossingSearch() {}

  /**
   * The least number of samples that make a rule fire. O(log last) questions.
   *
   * @param last the answer if no smaller number does; it is not asked for
   * @param fires whether the rule fires when so many samples have arrived; once true, true for more
   * @return between 1 and {@code last}
   */
  static int first(int last, IntPredicate fires) {
    int low = 1;
    int high = last;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (fires.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
