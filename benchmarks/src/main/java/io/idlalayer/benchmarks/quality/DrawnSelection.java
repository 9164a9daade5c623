package io.idlalayer.benchmarks.quality;

import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.middleware.primitive.BitMixer;
import java.util.SplittableRandom;

/**
 * Replays what is drawn at random among the samples of some stages.
 *
 * @param budget most samples of an update
 */
record DrawnSelection(TracedStore store, Contender.Draw draw, int budget, long seed)
    implements SelectionPolicy {
  @Override
  public long[] replayed(long updateNumber) {
    return store.draw(
        draw, budget, new SplittableRandom(seed * BitMixer.GOLDEN_RATIO + updateNumber));
  }
}
