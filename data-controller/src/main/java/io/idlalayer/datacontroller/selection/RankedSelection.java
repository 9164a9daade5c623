package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;

/**
 * Fills the budget with the first of all trained samples in some order: at random anew for every
 * update (uniform); at random once for each sample, which is a reservoir of everything that came;
 * by newest arrival; by last loss; by gradient norm; by reducible loss.
 */
final class RankedSelection implements SelectionPolicy {
  private final Replay settings;
  private final long seed;

  RankedSelection(Replay settings, long seed) {
    this.settings = settings;
    this.seed = seed;
  }

  @Override
  public long[] replayed(SampleIndex index, long updateNumber) {
    int[] slots = Trained.slots(index);
    TopScores.select(index, slots, settings.budget(), rank(index, updateNumber));
    return Trained.ids(index, slots, settings.budget());
  }

  private TopScores.Rank rank(SampleIndex index, long updateNumber) {
    return switch (settings.policy()) {
      case UNIFORM -> slot -> Trained.draw(seed, updateNumber, index.id(slot));
      case RESERVOIR -> slot -> Trained.draw(seed, 0, index.id(slot));
      case NEWEST_WINDOW -> slot -> index.id(slot);
      case LOSS -> index::loss;
      case GRADIENT_NORM -> index::gradientNorm;
      case REDUCIBLE_LOSS -> index::reducibleLoss;
      case FUZZY, STAGE_SHARES, CLASS_BALANCED ->
          throw new IllegalStateException(settings.policy() + " is no order");
    };
  }
}
