package io.idlalayer.middleware.cache.budget;

import java.math.BigInteger;
import java.util.Arrays;
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
    // Each round raises a use for good, so there are no more rounds than uses.
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

  /** Returns bytes of each use, whose sum may be another one than the budget. */
  private static long[] proportions(long budgetBytes, long[] last) {
    long known = Arrays.stream(last).filter(each -> each > 0).count();
    long equal = known == 0 ? budgetBytes / last.length : Arrays.stream(last).sum() / known;
    return Arrays.stream(last).map(each -> each > 0 ? each : Math.max(1, equal)).toArray();
  }

  /** Raises uses to what they must have; returns whether there were any. */
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
   * Changes the bytes of the uses that were not raised, in proportion, to a sum that they miss by
   * less than a byte each.
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
