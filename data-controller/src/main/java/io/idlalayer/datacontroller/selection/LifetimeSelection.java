package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.settings.DataSettings.Newborns;
import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SlotOrder;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Chooses the samples from which the model can still learn, by their life stage and the trend of
 * the loss. Newborn samples that the model knows already are passed over ({@link
 * TrainingProbability}). The size of the replay depends on the rise of the loss ({@link
 * LossTrend}): the whole budget after a drift, and the steady share of the budget while the loss
 * does not rise. The newest samples are replayed. The share of a stage determines how slowly its
 * samples age in this order: with the shares 0.5 and 1, a Mature sample ranks like a Preserve
 * sample of twice its age. A stage whose share is 0 is not replayed. The shares are fixed, or
 * {@link RatioSearch} adapts them to the shares that improved the model most.
 */
final class LifetimeSelection implements SelectionPolicy {
  private static final StateFormat FORMAT = StateFormat.first("selection fuzzy");
  private static final long[] NONE = {};

  /**
   * Round number for draws among new samples; it differs from all update numbers, which count from
   * 1.
   */
  private static final long NEWBORN_ROUND = 0;

  private final Replay settings;
  private final long seed;
  private final LossTrend trend = new LossTrend();
  private final RatioSearch search;
  private final SampleIndex index;
  private final SlotOrder stages;

  LifetimeSelection(Replay settings, long seed, SampleIndex index) {
    this.settings = settings;
    this.seed = seed;
    search = new RatioSearch(settings.ratios());
    this.index = index;
    stages = index.order(new NewestByStage(index));
  }

  @Override
  public void scored(float loss) {
    trend.add(loss);
  }

  @Override
  public long[] passedOver(long[] newIds) {
    if (settings.newborns() == Newborns.ALL) {
      return NONE;
    }
    long[] passed =
        Arrays.stream(newIds)
            .filter(
                id ->
                    TrainedSamples.draw(seed, NEWBORN_ROUND, id)
                        >= TrainingProbability.chance(index.loss(index.slotOf(id)), trend))
            .toArray();
    // An update trains at least one sample.
    return passed.length < newIds.length ? passed : Arrays.copyOf(passed, passed.length - 1);
  }

  @Override
  public long[] replayed(long updateNumber) {
    double steady = settings.steadyShare();
    int budget = (int) Math.round(settings.budget() * (steady + (1 - steady) * trend.need()));
    Ratios ratios = settings.search() ? search.current() : settings.ratios();
    List<Living> stagesLeft = new ArrayList<>();
    for (LifeStage stage : LifeStage.values()) {
      SlotOrder.Walk walk = stages.walk(stage.code());
      if (share(stage, ratios) > 0 && walk.peek() != SampleIndex.ABSENT) {
        stagesLeft.add(new Living(walk, share(stage, ratios)));
      }
    }
    long newest = stagesLeft.stream().mapToLong(each -> id(each)).max().orElse(0);
    long[] ids = new long[Math.min(budget, index.size())];
    int count = 0;
    while (count < ids.length && !stagesLeft.isEmpty()) {
      Living next = stagesLeft.get(0);
      for (Living other : stagesLeft) {
        next = before(other, next, newest) ? other : next;
      }
      ids[count++] = index.id(next.walk().next());
      if (next.walk().peek() == SampleIndex.ABSENT) {
        stagesLeft.remove(next);
      }
    }
    return TrainedSamples.ascending(Arrays.copyOf(ids, count));
  }

  /** The samples of one stage that were not chosen yet, newest first. */
  private record Living(SlotOrder.Walk walk, double share) {}

  private long id(Living stage) {
    return index.id(stage.walk().peek());
  }

  /**
   * Returns whether the next sample of a stage is younger than the next sample of another stage,
   * relative to the age that samples reach in each stage.
   */
  private boolean before(Living stage, Living other, long newest) {
    int byAge =
        Double.compare(
            (newest - id(stage) + 1) / stage.share(), (newest - id(other) + 1) / other.share());
    return byAge != 0 ? byAge < 0 : id(stage) < id(other);
  }

  private static double share(LifeStage stage, Ratios ratios) {
    return switch (stage) {
      case PRESERVE -> ratios.preserve();
      case MATURE -> ratios.mature();
      case DISCARD -> ratios.discard();
      case NEWBORN -> 0;
    };
  }

  /** Orders trained samples by stage, and within a stage newest first. */
  private record NewestByStage(SampleIndex index) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      return TrainedSamples.is(index, slot) ? index.stage(slot).code() : -1;
    }

    @Override
    public long key(int slot) {
      return -index.id(slot);
    }
  }

  @Override
  public void rewarded(double qualityGain, double seconds) {
    if (settings.search()) {
      search.rewarded(qualityGain / seconds);
    }
  }

  @Override
  public byte[] snapshot() {
    StateWriter out = FORMAT.writer().putBytes(1, trend.snapshot());
    return (settings.search() ? out.putBytes(2, search.snapshot()) : out).bytes();
  }

  @Override
  public void restore(byte[] snapshot) {
    if (snapshot.length == 0) {
      return;
    }
    StateReader in = FORMAT.reader(snapshot);
    trend.restore(in.getBytes(1));
    if (settings.search() && in.has(2)) {
      search.restore(in.getBytes(2));
    }
  }
}
