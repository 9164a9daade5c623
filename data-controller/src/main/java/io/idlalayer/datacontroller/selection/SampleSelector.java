package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.DataSettings;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Chooses the trained samples that train again: of Mature and Preserve the best scores, of Discard
 * a seeded random share for re-discovery. The same index contents, seed and update number give the
 * same choice.
 */
public final class SampleSelector {
  private final DataSettings settings;
  private final long seed;

  public SampleSelector(DataSettings settings, long seed) {
    this.settings = settings;
    this.seed = seed;
  }

  /** Ids of the samples to replay with an update, ascending; at most the replay budget. */
  public long[] replayed(SampleIndex index, long updateNumber) {
    ReplayPlan plan =
        ReplayPlan.of(
            settings.ratios(),
            index.count(LifeStage.MATURE),
            index.count(LifeStage.PRESERVE),
            index.count(LifeStage.DISCARD),
            settings.replayBudget());
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
    TopScores.select(index, slots, count);
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
