package io.idlalayer.benchmarks.placement.autovm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * Puts prefetches into the order of their consumers. Copies in one direction follow one another, so
 * a tensor that is used first must not wait for one that is used later.
 */
final class PrefetchOrder {
  private PrefetchOrder() {}

  /**
   * A prefetch.
   *
   * @param start index of the operation at which it starts
   * @param consumer index of the operation that uses the tensor
   */
  record Prefetch(int tensor, int start, int consumer) {
    Prefetch at(int operation) {
      return new Prefetch(tensor, operation, consumer);
    }
  }

  /**
   * Returns the prefetches in the order in which they are issued, which is that of their consumers.
   * One that would start after another one that is consumed later starts together with that one, if
   * there is memory for it; else the other one is delayed.
   *
   * @param fits whether a prefetch may start at an earlier operation
   */
  static List<Prefetch> repaired(List<Prefetch> prefetches, BiPredicate<Prefetch, Integer> fits) {
    List<Prefetch> order = new ArrayList<>(prefetches);
    order.sort(Comparator.comparingInt(Prefetch::consumer).thenComparingInt(Prefetch::tensor));
    for (int later = order.size() - 1; later > 0; later--) {
      Prefetch after = order.get(later);
      Prefetch before = order.get(later - 1);
      if (before.start() > after.start() && fits.test(before, after.start())) {
        order.set(later - 1, before.at(after.start()));
      }
    }
    for (int i = 1; i < order.size(); i++) {
      Prefetch before = order.get(i - 1);
      if (before.start() > order.get(i).start()) {
        order.set(i, order.get(i).at(before.start()));
      }
    }
    return order;
  }
}
