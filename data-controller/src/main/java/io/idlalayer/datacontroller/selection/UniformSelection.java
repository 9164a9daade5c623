package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SlotOrder;

/** Fills the replay budget with trained samples, drawn at random anew for every update. */
final class UniformSelection implements SelectionPolicy {
  private final Replay settings;
  private final long seed;
  private final SampleIndex index;
  private final SlotOrder trained;

  UniformSelection(Replay settings, long seed, SampleIndex index) {
    this.settings = settings;
    this.seed = seed;
    this.index = index;
    trained = index.countedOrder(new ById(index));
  }

  @Override
  public long[] replayed(long updateNumber) {
    return TrainedSamples.ascending(
        TrainedSamples.drawn(
            index, trained, 0, settings.budget(), TrainedSamples.random(seed, updateNumber)));
  }

  /** Orders samples by id, because slots get other numbers after a restart. */
  private record ById(SampleIndex index) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      return TrainedSamples.is(index, slot) ? 0 : -1;
    }

    @Override
    public long key(int slot) {
      return 0;
    }
  }
}
