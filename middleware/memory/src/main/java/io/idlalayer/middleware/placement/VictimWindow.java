package io.idlalayer.middleware.placement;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.Region;
import io.idlalayer.middleware.memory.RegionState;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The cheapest span of a device that a request fits in: two pointers over its regions in the order
 * of their offsets. No span that grows from any start is cheaper.
 *
 * @param start its first region
 * @param cost sum over its objects
 */
record VictimWindow(Region start, double cost) {
  /**
   * @param bytes length at least
   * @param occupied bytes of used regions at least, for a budget below the device's capacity
   * @param pieceBytes no span crosses a multiple of these
   */
  record Need(long bytes, long occupied, long pieceBytes) {}

  /** The cheapest one; null if there is none. */
  static @Nullable VictimWindow cheapest(
      List<Region> regions,
      Need need,
      Predicate<Region> evictable,
      ToDoubleFunction<MemObject> cost) {
    VictimWindow best = null;
    int left = 0;
    long total = 0;
    long occupied = 0;
    double sum = 0;
    double[] costs = new double[regions.size()];
    for (int right = 0; right < regions.size(); right++) {
      Region region = regions.get(right);
      if (right > left && piece(region, need) != piece(regions.get(left), need)) {
        left = right;
        total = 0;
        occupied = 0;
        sum = 0;
      }
      if (!evictable.test(region)) {
        left = right + 1;
        total = 0;
        occupied = 0;
        sum = 0;
        continue;
      }
      costs[right] = costOf(region, cost);
      sum += costs[right];
      total += region.bytes();
      occupied += used(region);
      while (left < right
          && fits(total - regions.get(left).bytes(), occupied - used(regions.get(left)), need)) {
        sum -= costs[left];
        total -= regions.get(left).bytes();
        occupied -= used(regions.get(left));
        left++;
      }
      if (fits(total, occupied, need) && (best == null || sum < best.cost())) {
        best = new VictimWindow(regions.get(left), sum);
      }
    }
    return best;
  }

  private static boolean fits(long total, long occupied, Need need) {
    return total >= need.bytes() && occupied >= need.occupied();
  }

  private static long piece(Region region, Need need) {
    return region.offset() / need.pieceBytes();
  }

  private static long used(Region region) {
    return region.state() == RegionState.USED ? region.bytes() : 0;
  }

  private static double costOf(Region region, ToDoubleFunction<MemObject> cost) {
    MemObject object = region.parent();
    return object == null ? 0 : cost.applyAsDouble(object);
  }
}
