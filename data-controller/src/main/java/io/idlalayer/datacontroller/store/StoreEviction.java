package io.idlalayer.datacontroller.store;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;

/**
 * Decides which samples are evicted from a store that reaches its limits. With {@code
 * Eviction.STAGES}, samples in Discard are evicted first (oldest first), then samples in Mature
 * (lowest score, then oldest), then samples in Preserve (lowest score). With the other settings,
 * samples that cannot train any more are evicted first, and then the other samples by age or at
 * random. Samples that still wait for a label come last. A sample that waits for its training, or
 * is being trained, is never evicted. Several samples are evicted at a time (a slice), so that the
 * store is not written for every arrival. A slice is small, so that no arrival waits long.
 *
 * <p>This class only chooses samples; {@link SampleLibrary#delete} deletes them.
 */
public final class StoreEviction {
  private static final int SLICES = 64;

  /**
   * Number of evicted samples after which an eviction stops as soon as the new sample fits,
   * although it has not freed a whole slice yet.
   */
  private static final int AT_ONCE = 1_024;

  private static final int GROUPS = 4;
  private static final long[] NONE = {};

  private final int maxSamples;
  private final long maxBytes;
  private final SampleIndex index;
  private final SlotOrder evictionOrder;

  public StoreEviction(DataSettings settings, SampleIndex index) {
    maxSamples = settings.maxSamples();
    maxBytes = settings.maxBytes();
    this.index = index;
    evictionOrder =
        index.order(
            switch (settings.eviction()) {
              case STAGES -> new ByStage(index);
              case OLDEST -> new ByUse(index, false);
              case RANDOM -> new ByUse(index, true);
            });
  }

  /**
   * Returns whether a sample of this size would not fit even if all samples that can be evicted
   * were evicted.
   */
  public boolean full(int payloadBytes) {
    return index.locked() >= maxSamples || index.lockedBytes() + payloadBytes > maxBytes;
  }

  /**
   * Returns whether a sample of this size would not fit in place of a stored sample, even if all
   * other samples that can be evicted were evicted.
   */
  public boolean full(int payloadBytes, int replacedSlot) {
    boolean counted = index.locked(replacedSlot);
    long samples = index.locked() - (counted ? 1L : 0L);
    long bytes = index.lockedBytes() - (counted ? index.payloadBytes(replacedSlot) : 0);
    return samples >= maxSamples || bytes + payloadBytes > maxBytes;
  }

  /**
   * Returns whether the samples that must not be evicted take more than seven eighths of a limit.
   */
  public boolean nearlyFull() {
    return index.locked() >= maxSamples - maxSamples / 8
        || index.lockedBytes() >= maxBytes - maxBytes / 8;
  }

  /**
   * Returns the samples to evict so that another sample fits.
   *
   * @param payloadBytes size of the arriving sample
   * @return ids, ascending; empty if the sample fits. If the store is {@link #full}, all samples
   *     that can be evicted
   */
  public long[] toEvict(int payloadBytes) {
    return toEvict(payloadBytes, SampleIndex.ABSENT);
  }

  /**
   * Returns the samples to evict so that a sample fits that replaces a stored one.
   *
   * @param replacedSlot slot slot of the replaced sample, which is not evicted and counts as
   *     deleted
   */
  public long[] toEvict(int payloadBytes, int replacedSlot) {
    boolean replaces = replacedSlot != SampleIndex.ABSENT;
    long samples = index.size() - (replaces ? 1L : 0L);
    long bytes = index.bytes() - (replaces ? index.payloadBytes(replacedSlot) : 0);
    boolean tooMany = samples >= maxSamples;
    boolean tooLarge = bytes + payloadBytes > maxBytes;
    if (!tooMany && !tooLarge) {
      return NONE;
    }
    Space must = new Space(maxSamples - 1L, maxBytes - payloadBytes);
    Space wanted =
        new Space(
            tooMany ? must.samples() - slice(maxSamples) : must.samples(),
            tooLarge ? must.bytes() - slice(maxBytes) : must.bytes());
    long[] ids = new long[16];
    int count = 0;
    for (int group = 0; group < GROUPS; group++) {
      SlotOrder.Walk walk = evictionOrder.walk(group);
      while (!(wanted.holds(samples, bytes) || (count >= AT_ONCE && must.holds(samples, bytes)))) {
        int slot = walk.next();
        if (slot == SampleIndex.ABSENT) {
          break;
        }
        if (slot != replacedSlot && !index.locked(slot)) {
          ids = count == ids.length ? Arrays.copyOf(ids, 2 * count) : ids;
          ids[count++] = index.id(slot);
          samples--;
          bytes -= index.payloadBytes(slot);
        }
      }
    }
    long[] ascending = Arrays.copyOf(ids, count);
    Arrays.sort(ascending);
    return ascending;
  }

  /**
   * The largest number of samples, and of their payload bytes, that can remain after an eviction.
   */
  private record Space(long samples, long bytes) {
    boolean holds(long storedSamples, long storedBytes) {
      return storedSamples <= samples && storedBytes <= bytes;
    }
  }

  private static int slice(long limit) {
    return (int) Math.min(Integer.MAX_VALUE, limit / SLICES);
  }

  /** Orders samples for eviction by life stage, and within a stage by score or age. */
  private record ByStage(SampleIndex index) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      return switch (index.stage(slot)) {
        case DISCARD -> 0;
        case MATURE -> 1;
        case PRESERVE -> 2;
        case NEWBORN -> index.labeled(slot) ? -1 : 3;
      };
    }

    @Override
    public long key(int slot) {
      return switch (index.stage(slot)) {
        case MATURE, PRESERVE -> SlotOrder.ascending(index.score(slot));
        case DISCARD, NEWBORN -> 0;
      };
    }
  }

  /**
   * Orders samples for eviction: first samples that cannot be trained any more, then all others by
   * age or by a fixed random number.
   */
  private record ByUse(SampleIndex index, boolean drawn) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      LifeStage stage = index.stage(slot);
      if (stage == LifeStage.NEWBORN) {
        return index.labeled(slot) ? -1 : 3;
      }
      return index.evaluations(slot) == 0 ? 0 : 1;
    }

    @Override
    public long key(int slot) {
      return drawn ? BitMixer.splitMix(index.id(slot)) : 0;
    }
  }
}
