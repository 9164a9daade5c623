package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.FastBlock;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The span of a device that costs least to empty for a request. It is found by two pointers over
 * the device's blocks in the order of their offsets. No other span is cheaper.
 *
 * @param start offset of its first block
 * @param end one past its last byte
 * @param cost sum over its objects
 */
public record VictimWindow(long start, long end, double cost) {
  /**
   * Requirements on a span.
   *
   * @param bytes least length
   * @param occupied least bytes of objects, for a budget below the device's capacity
   */
  public record Need(long bytes, long occupied) {}

  /**
   * Finds the span that costs least to empty; null if there is none.
   *
   * @param open whether a block is free, or of an object that may leave
   */
  static @Nullable VictimWindow cheapest(
      List<FastBlock> blocks,
      Need need,
      Predicate<FastBlock> open,
      ToDoubleFunction<MemObject> cost) {
    VictimWindow best = null;
    int left = 0;
    long total = 0;
    long occupied = 0;
    double sum = 0;
    double[] costs = new double[blocks.size()];
    for (int right = 0; right < blocks.size(); right++) {
      FastBlock block = blocks.get(right);
      MemObject object = block.object();
      boolean usable = open.test(block);
      boolean newChunk = right > left && block.chunk() != blocks.get(left).chunk();
      if (!usable || newChunk) {
        left = usable ? right : right + 1;
        total = 0;
        occupied = 0;
        sum = 0;
      }
      if (!usable) {
        continue;
      }
      costs[right] = object == null ? 0 : cost.applyAsDouble(object);
      sum += costs[right];
      total += block.bytes();
      occupied += used(block);
      while (left < right
          && fits(total - blocks.get(left).bytes(), occupied - used(blocks.get(left)), need)) {
        sum -= costs[left];
        total -= blocks.get(left).bytes();
        occupied -= used(blocks.get(left));
        left++;
      }
      if (fits(total, occupied, need) && (best == null || sum < best.cost())) {
        best = new VictimWindow(blocks.get(left).offset(), block.offset() + block.bytes(), sum);
      }
    }
    return best;
  }

  private static boolean fits(long total, long occupied, Need need) {
    return total >= need.bytes() && occupied >= need.occupied();
  }

  private static long used(FastBlock block) {
    return block.object() == null ? 0 : block.bytes();
  }
}
