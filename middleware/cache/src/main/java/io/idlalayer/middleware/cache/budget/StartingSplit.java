package io.idlalayer.middleware.cache.budget;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The split with which a division of DRAM begins. Without an earlier split, all parts are equal.
 * Otherwise the split has the proportions of the earlier split: the bytes of a use that no longer
 * exists are distributed among the others, and a new use gets the bytes that it would have with
 * equal parts. No use has less than its least bytes.
 */
public final class StartingSplit {
  private StartingSplit() {}

  /**
   * Returns the split.
   *
   * @param budgetBytes bytes that are divided, above 0
   * @param leastBytes least bytes of each use; at least one use
   * @param last the earlier split, of this or another budget; without bytes if there is none
   * @throws IllegalArgumentException if the least bytes of all uses exceed the budget
   */
  public static FastSplit of(long budgetBytes, Map<FastUse, Long> leastBytes, FastSplit last) {
    List<FastUse> uses = List.copyOf(leastBytes.keySet());
    long[] least = uses.stream().mapToLong(use -> leastBytes.getOrDefault(use, 0L)).toArray();
    if (Arrays.stream(least).sum() > budgetBytes) {
      throw new IllegalArgumentException(
          "%,d bytes of DRAM are fewer than the %,d that their uses must have"
              .formatted(budgetBytes, Arrays.stream(least).sum()));
    }
    long[] bytes = proportions(budgetBytes, uses.stream().mapToLong(use -> last.of(use)).toArray());
    boolean[] raised = new boolean[bytes.length];
    if (Arrays.stream(bytes).sum() != budgetBytes || last.bytes() != budgetBytes) {
      scale(bytes, raised, budgetBytes);
    }
    // Each round raises at least one use permanently, so there are at most as many rounds as uses.
    while (raise(bytes, raised, least)) {
      long left = budgetBytes;
      for (int i = 0; i < bytes.length; i++) {
        left -= raised[i] ? bytes[i] : 0;
      }
      scale(bytes, raised, left);
    }
    Map<FastUse, Long> split = new EnumMap<>(FastUse.class);
    for (int i = 0; i < bytes.length; i++) {
      split.put(uses.get(i), bytes[i]);
    }
    return new FastSplit(split);
  }

  /** Returns bytes of each use. Their sum can differ from the budget. */
  private static long[] proportions(long budgetBytes, long[] last) {
    long known = Arrays.stream(last).filter(each -> each > 0).count();
    long equal = known == 0 ? budgetBytes / last.length : Arrays.stream(last).sum() / known;
    return Arrays.stream(last).map(each -> each > 0 ? each : Math.max(1, equal)).toArray();
  }

  /** Raises uses to their least bytes; returns whether any use was raised. */
  private static boolean raise(long[] bytes, boolean[] raised, long[] least) {
    boolean any = false;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] < least[i]) {
        bytes[i] = least[i];
        raised[i] = true;
        any = true;
      }
    }
    return any;
  }

  /**
   * Scales the bytes of the uses that were not raised so that their sum is {@code toBytes}, except
   * for less than a byte for each use.
   */
  private static void scale(long[] bytes, boolean[] raised, long toBytes) {
    long sum = 0;
    for (int i = 0; i < bytes.length; i++) {
      sum += raised[i] ? 0 : bytes[i];
    }
    BigInteger divisor = BigInteger.valueOf(Math.max(1, sum));
    for (int i = 0; i < bytes.length; i++) {
      if (!raised[i]) {
        BigInteger product = BigInteger.valueOf(toBytes).multiply(BigInteger.valueOf(bytes[i]));
        bytes[i] = product.divide(divisor).longValueExact();
      }
    }
  }
}
