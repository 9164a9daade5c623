package io.idlalayer.jobs.settings.memory;

import io.idlalayer.middleware.cache.budget.FastUse;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The DRAM of a learner that is divided while it runs.
 *
 * @param bytes all bytes, including the sizes that the settings fix
 * @param dividedBytes bytes that are divided, above 0
 * @param uses uses between which the bytes are divided, at least one
 */
public record FastBudget(long bytes, long dividedBytes, List<FastUse> uses)
    implements Serializable {
  /** Every use has at least the divided bytes divided by this number. */
  public static final int LEAST_SHARE = 16;

  public FastBudget {
    uses = List.copyOf(uses);
  }

  /** Returns whether a use has a part of the divided bytes. */
  public boolean divides(FastUse use) {
    return uses.contains(use);
  }

  /**
   * Returns the largest number of bytes that a learner can donate to the hot cache.
   *
   * @param budget the learner's budget, or null
   * @param hotBytes bytes that the learner donates if the budget does not divide the bytes of the
   *     cache
   */
  public static long mostHotBytes(@Nullable FastBudget budget, long hotBytes) {
    return budget != null && budget.divides(FastUse.SAMPLES) ? budget.mostBytes() : hotBytes;
  }

  /**
   * Returns the bytes that a use has at first. Before anything is measured, all uses have equal
   * parts.
   */
  public long initialBytes() {
    return dividedBytes / uses.size();
  }

  /** Returns the bytes that every use has at least. */
  public long leastBytes() {
    return dividedBytes / LEAST_SHARE;
  }

  /** Returns the bytes of a use if all other uses have their least bytes. */
  public long mostBytes() {
    return dividedBytes - (uses.size() - 1) * leastBytes();
  }
}
