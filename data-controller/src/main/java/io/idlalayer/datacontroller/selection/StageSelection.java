package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SlotOrder;
import io.idlalayer.middleware.sample.LifeStage;

/**
 * Chooses samples by their life stages: the samples of Mature and Preserve with the best scores,
 * and a random share of Discard, so that useful samples in Discard are found again. The shares are
 * fixed, or {@link RatioSearch} adapts them to the shares that improved the model most.
 */
final class StageSelection implements SelectionPolicy {
  private static final byte[] NOTHING = {};

  private final Replay settings;
  private final long seed;
  private final RatioSearch search;
  private final SampleIndex index;
  private final SlotOrder stages;

  StageSelection(Replay settings, long seed, SampleIndex index) {
    this.settings = settings;
    this.seed = seed;
    search = new RatioSearch(settings.ratios());
    this.index = index;
    stages = index.countedOrder(new ByStage(index));
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
  public long[] replayed(long updateNumber) {
    ReplayPlan plan =
        ReplayPlan.of(
            ratios(),
            index.count(LifeStage.MATURE),
            index.count(LifeStage.PRESERVE),
            index.count(LifeStage.DISCARD),
            settings.budget());
    return TrainedSamples.ascending(
        TrainedSamples.first(index, stages, LifeStage.MATURE.code(), plan.mature()),
        TrainedSamples.first(index, stages, LifeStage.PRESERVE.code(), plan.preserve()),
        TrainedSamples.drawn(
            index,
            stages,
            LifeStage.DISCARD.code(),
            plan.discard(),
            TrainedSamples.random(seed, updateNumber)));
  }

  /**
   * Orders samples of Mature and Preserve by score, and samples of Discard by id, so that a draw
   * stays the same after a restart.
   */
  private record ByStage(SampleIndex index) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      return TrainedSamples.is(index, slot) ? index.stage(slot).code() : -1;
    }

    @Override
    public long key(int slot) {
      return index.stage(slot) == LifeStage.DISCARD ? 0 : SlotOrder.descending(index.score(slot));
    }
  }
}
