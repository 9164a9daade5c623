package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.DataSettings.Ratios;
import io.idlalayer.datacontroller.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Life stages decide: of Mature and Preserve the best scores, of Discard a random share for
 * re-discovery. The shares stand, or follow what helped ({@link RatioSearch}).
 */
final class StageSelection implements SelectionPolicy {
  private static final byte[] NOTHING = {};

  private final Replay settings;
  private final long seed;
  private final RatioSearch search;

  StageSelection(Replay settings, long seed) {
    this.settings = settings;
    this.seed = seed;
    search = new RatioSearch(settings.ratios());
  }

  private Ratios ratios() {
    return settings.search() ? search.current() : settings.ratios();
  }

  @Override
  public void rewarded(double qualityGain, double seconds) {
    if (settings.search()) {
      search.rewarded(qualityGain / seconds);
    }
  }

  @Override
  public byte[] snapshot() {
    return settings.search() ? search.snapshot() : NOTHING;
  }

  @Override
  public void restore(byte[] snapshot) {
    if (settings.search() && snapshot.length > 0) {
      search.restore(snapshot);
    }
  }

  @Override
  public long[] replayed(SampleIndex index, long updateNumber) {
    ReplayPlan plan =
        ReplayPlan.of(
            ratios(),
            index.count(LifeStage.MATURE),
            index.count(LifeStage.PRESERVE),
            index.count(LifeStage.DISCARD),
            settings.budget());
    long[] chosen = new long[plan.mature() + plan.preserve() + plan.discard()];
    int at = best(index, LifeStage.MATURE, plan.mature(), chosen, 0);
    at = best(index, LifeStage.PRESERVE, plan.preserve(), chosen, at);
    at = random(index, plan.discard(), updateNumber, chosen, at);
    long[] ids = Arrays.copyOf(chosen, at);
    Arrays.sort(ids);
    return ids;
  }

  private static int best(SampleIndex index, LifeStage stage, int count, long[] chosen, int from) {
    if (count == 0) {
      return from;
    }
    int[] slots = slots(index, stage);
    TopScores.select(index, slots, count, index::score);
    int taken = Math.min(count, slots.length);
    for (int i = 0; i < taken; i++) {
      chosen[from + i] = index.id(slots[i]);
    }
    return from + taken;
  }

  private int random(SampleIndex index, int count, long updateNumber, long[] chosen, int from) {
    if (count == 0) {
      return from;
    }
    int[] slots = slots(index, LifeStage.DISCARD);
    long[] ids = new long[slots.length];
    for (int i = 0; i < slots.length; i++) {
      ids[i] = index.id(slots[i]);
    }
    // By id, as slots are numbered anew after a restart.
    Arrays.sort(ids);
    SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + updateNumber);
    int taken = Math.min(count, ids.length);
    for (int i = 0; i < taken; i++) {
      int pick = i + random.nextInt(ids.length - i);
      chosen[from + i] = ids[pick];
      ids[pick] = ids[i];
    }
    return from + taken;
  }

  private static int[] slots(SampleIndex index, LifeStage stage) {
    int[] slots = new int[index.count(stage)];
    int at = 0;
    for (int slot = 0; slot < index.slots() && at < slots.length; slot++) {
      if (index.occupied(slot) && index.stage(slot) == stage) {
        slots[at++] = slot;
      }
    }
    return slots;
  }
}
