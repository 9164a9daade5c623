package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.DataSettings.Newborns;
import io.idlalayer.datacontroller.DataSettings.Ratios;
import io.idlalayer.datacontroller.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.middleware.sample.LifeStage;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Trains where there is something to learn. Newborn samples that the model knows already are passed
 * over ({@link Openness}). The replay is as large as the loss rises ({@link LossTrend}): the whole
 * budget after a drift, its steady share in quiet times. It takes the newest samples, where a
 * stage's share says how slowly its samples grow old: with shares 0.5 and 1, a Mature sample ranks
 * like a Preserve sample of twice its age. A stage whose share is 0 is not replayed. The shares
 * stand, or follow what helped ({@link RatioSearch}).
 */
final class LifetimeSelection implements SelectionPolicy {
  private static final byte VERSION = 1;
  private static final long[] NONE = {};

  /** Update numbers count from 1. */
  private static final long NEWBORN_ROUND = 0;

  private final Replay settings;
  private final long seed;
  private final LossTrend trend = new LossTrend();
  private final RatioSearch search;

  LifetimeSelection(Replay settings, long seed) {
    this.settings = settings;
    this.seed = seed;
    search = new RatioSearch(settings.ratios());
  }

  @Override
  public void scored(float loss) {
    trend.add(loss);
  }

  @Override
  public long[] passedOver(SampleIndex index, long[] newIds) {
    if (settings.newborns() == Newborns.ALL) {
      return NONE;
    }
    long[] passed =
        Arrays.stream(newIds)
            .filter(
                id ->
                    Trained.draw(seed, NEWBORN_ROUND, id)
                        >= Openness.chance(index.loss(index.slotOf(id)), trend))
            .toArray();
    // An update trains at least one sample.
    return passed.length < newIds.length ? passed : Arrays.copyOf(passed, passed.length - 1);
  }

  @Override
  public long[] replayed(SampleIndex index, long updateNumber) {
    double steady = settings.steadyShare();
    int budget = (int) Math.round(settings.budget() * (steady + (1 - steady) * trend.need()));
    Ratios ratios = settings.search() ? search.current() : settings.ratios();
    int[] slots = living(index, ratios);
    long newest = Arrays.stream(slots).mapToLong(index::id).max().orElse(0);
    TopScores.select(
        index, slots, budget, slot -> -(newest - index.id(slot) + 1) / share(index, slot, ratios));
    return Trained.ids(index, slots, budget);
  }

  /** Slots of samples that were trained, in stages with a share. */
  private static int[] living(SampleIndex index, Ratios ratios) {
    return Arrays.stream(Trained.slots(index))
        .filter(slot -> index.evaluations(slot) > 0 && share(index, slot, ratios) > 0)
        .toArray();
  }

  private static double share(SampleIndex index, int slot, Ratios ratios) {
    LifeStage stage = index.stage(slot);
    return switch (stage) {
      case PRESERVE -> ratios.preserve();
      case MATURE -> ratios.mature();
      case DISCARD -> ratios.discard();
      case NEWBORN -> 0;
    };
  }

  @Override
  public void rewarded(double qualityGain, double seconds) {
    if (settings.search()) {
      search.rewarded(qualityGain / seconds);
    }
  }

  /** The trend, then the search's memory if there is one, each with its length before it. */
  @Override
  public byte[] snapshot() {
    byte[] ofTrend = trend.snapshot();
    byte[] ofSearch = settings.search() ? search.snapshot() : new byte[0];
    return ByteBuffer.allocate(9 + ofTrend.length + ofSearch.length)
        .put(VERSION)
        .putInt(ofTrend.length)
        .put(ofTrend)
        .putInt(ofSearch.length)
        .put(ofSearch)
        .array();
  }

  @Override
  public void restore(byte[] snapshot) {
    if (snapshot.length == 0) {
      return;
    }
    ByteBuffer in = ByteBuffer.wrap(snapshot);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "selection snapshot has version %d, this program reads %d".formatted(version, VERSION));
    }
    trend.restore(part(in));
    byte[] ofSearch = part(in);
    if (settings.search() && ofSearch.length > 0) {
      search.restore(ofSearch);
    }
  }

  private static byte[] part(ByteBuffer in) {
    byte[] part = new byte[in.getInt()];
    in.get(part);
    return part;
  }
}
