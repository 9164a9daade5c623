package io.idlalayer.middleware.cache.budget;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The split that a division of DRAM begins with. Without an earlier split it has equal parts. Else
 * it has the proportions of the earlier one: a use that is gone leaves its bytes to the others, and
 * a new one gets what it would have in equal parts. No use has less than it must have.
 */
public final class StartingSplit {
  private StartingSplit() {}

  /**
   * Returns the split.
   *
   * @param budgetBytes what is divided, above 0
   * @param leastBytes what each use must have, by use; at least one
   * @param last the earlier split, of this budget or of another one; without bytes if there is none
   * @throws IllegalArgumentException if the uses must have more bytes than are divided
   */
  public static FastSplit of(long budgetBytes, Map<FastUse, Long> leastBytes, FastSplit last) {
    long least = leastBytes.values().stream().mapToLong(Long::longValue).sum();
    if (least > budgetBytes) {
      throw new IllegalArgumentException(
          "%,d bytes of DRAM are fewer than the %,d that their uses must have"
              .formatted(budgetBytes, least));
    }
    EnumMap<FastUse, Long> bytes = proportions(budgetBytes, leastBytes, last);
    if (sum(bytes) != budgetBytes || last.bytes() != budgetBytes) {
      scale(bytes, List.copyOf(bytes.keySet()), budgetBytes);
    }
    // Each round raises a use for good, so there are no more rounds than uses.
    List<FastUse> scaled = new ArrayList<>(bytes.keySet());
    while (scaled.removeIf(use -> bytes.get(use) < leastBytes.get(use))) {
      long raised = 0;
      for (FastUse use : bytes.keySet()) {
        if (!scaled.contains(use)) {
          bytes.put(use, leastBytes.get(use));
          raised += leastBytes.get(use);
        }
      }
      scale(bytes, scaled, budgetBytes - raised);
    }
    return new FastSplit(bytes);
  }

  /** Returns bytes of each use, whose sum may be another one than the budget. */
  private static EnumMap<FastUse, Long> proportions(
      long budgetBytes, Map<FastUse, Long> leastBytes, FastSplit last) {
    EnumMap<FastUse, Long> bytes = new EnumMap<>(FastUse.class);
    int old = 0;
    long oldBytes = 0;
    for (FastUse use : leastBytes.keySet()) {
      bytes.put(use, last.of(use));
      oldBytes += last.of(use);
      old += last.of(use) > 0 ? 1 : 0;
    }
    long equal = old == 0 ? budgetBytes / bytes.size() : oldBytes / old;
    bytes.replaceAll((use, had) -> had > 0 ? had : Math.max(1, equal));
    return bytes;
  }

  /**
   * Changes the bytes of some uses in proportion, to a sum that they miss by less than a byte each.
   */
  private static void scale(Map<FastUse, Long> bytes, List<FastUse> uses, long toBytes) {
    long sum = Math.max(1, uses.stream().mapToLong(bytes::get).sum());
    for (FastUse use : uses) {
      BigInteger product = BigInteger.valueOf(toBytes).multiply(BigInteger.valueOf(bytes.get(use)));
      bytes.put(use, product.divide(BigInteger.valueOf(sum)).longValueExact());
    }
  }

  private static long sum(Map<FastUse, Long> bytes) {
    return bytes.values().stream().mapToLong(Long::longValue).sum();
  }
}
