package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SlotOrder;

/**
 * Fills the replay budget with the first trained samples in a fixed order: a random order in which
 * each sample keeps its place (a reservoir of all arrivals), or the order of newest arrival, last
 * loss, gradient norm or reducible loss.
 */
final class RankedSelection implements SelectionPolicy {
  private final Replay settings;
  private final SampleIndex index;
  private final SlotOrder trained;

  RankedSelection(Replay settings, long seed, SampleIndex index) {
    this.settings = settings;
    this.index = index;
    trained = index.order(new Rank(index, settings.policy(), seed));
  }

  @Override
  public long[] replayed(long updateNumber) {
    return TrainedSamples.ascending(TrainedSamples.first(index, trained, 0, settings.budget()));
  }

  /**
   * Orders samples by the policy's value, highest first; samples without a measured value are last.
   */
  private record Rank(SampleIndex index, Policy policy, long seed) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      return TrainedSamples.is(index, slot) ? 0 : -1;
    }

    @Override
    public long key(int slot) {
      return switch (policy) {
        // For numbers of at least 0, the order of the bits is the order of the numbers.
        case RESERVOIR -> -Double.doubleToLongBits(TrainedSamples.draw(seed, 0, index.id(slot)));
        case NEWEST_WINDOW -> -index.id(slot);
        case LOSS -> SlotOrder.descending(index.loss(slot));
        case GRADIENT_NORM -> SlotOrder.descending(index.gradientNorm(slot));
        case REDUCIBLE_LOSS -> SlotOrder.descending(index.reducibleLoss(slot));
        case FUZZY, STAGE_SHARES, UNIFORM, CLASS_BALANCED ->
            throw new IllegalStateException(policy + " does not order samples");
      };
    }
  }
}
