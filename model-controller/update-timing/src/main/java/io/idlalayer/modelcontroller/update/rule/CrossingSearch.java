package io.idlalayer.modelcontroller.update.rule;

import java.util.function.IntPredicate;

/**
 * Finds the sample of an upload that makes a rule fire. Each sample brings the firing nearer, so
 * the answer is found by bisection.
 */
public final class CrossingSearch {
  private CrossingSearch() {}

  /**
   * Returns the number of the first sample that makes a rule fire, with O(log last) calls of {@code
   * fires}.
   *
   * @param last the result if no smaller number makes the rule fire; {@code fires} is not called
   *     with {@code last}
   * @param fires returns whether the rule fires after a number of arrivals; monotonic
   * @return a number between 1 and {@code last}
   */
  public static int first(int last, IntPredicate fires) {
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
