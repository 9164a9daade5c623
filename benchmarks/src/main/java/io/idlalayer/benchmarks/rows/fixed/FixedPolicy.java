package io.idlalayer.benchmarks.rows.fixed;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Which rows of a table are in DRAM (CachedEmbeddings' three policies). */
public sealed interface FixedPolicy {
  /** None, and no pointer words either. */
  record Simple() implements FixedPolicy {}

  /** Those that are looked up, until the pages are full. */
  record Dynamic() implements FixedPolicy {}

  /** As many as fit of some rows, for ever. */
  sealed interface Static extends FixedPolicy {
    /**
     * The rows in the order in which they are taken, without repetition.
     *
     * @param most of them that are needed
     */
    int[] fill(int rows, int most);
  }

  /** Rows drawn uniformly. */
  record Random(long seed) implements Static {
    @Override
    public int[] fill(int rows, int most) {
      int[] all = new int[rows];
      Arrays.setAll(all, i -> i);
      SplittableRandom random = new SplittableRandom(seed);
      int count = Math.min(rows, most);
      for (int i = 0; i < count; i++) {
        int other = random.nextInt(i, rows);
        int drawn = all[other];
        all[other] = all[i];
        all[i] = drawn;
      }
      return Arrays.copyOf(all, count);
    }
  }

  /** Rows that are known to be used often, the most used first. */
  record Hot(int[] list) implements Static {
    @Override
    public int[] fill(int rows, int most) {
      return Arrays.copyOf(list, Math.min(list.length, most));
    }
  }
}
