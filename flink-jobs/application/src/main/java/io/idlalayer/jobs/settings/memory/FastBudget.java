package io.idlalayer.jobs.settings.memory;

import io.idlalayer.middleware.cache.budget.FastUse;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The DRAM of a learner that is divided while it runs.
 *
 * @param bytes all of it, with the sizes that the settings fix
 * @param dividedBytes what is divided, above 0
 * @param uses what it is divided between, at least one
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
   * Returns the most bytes that a learner may give to the hot cache.
   *
   * @param budget its budget, or null
   * @param hotBytes what it gives if the budget does not divide that
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

  /** Returns the bytes of a use if all others have their least. */
  public long mostBytes() {
    return dividedBytes - (uses.size() - 1) * leastBytes();
  }
}
