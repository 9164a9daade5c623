package io.idlalayer.benchmarks.quality;

import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.middleware.primitive.BitMixer;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Replays what is drawn at random among the samples of some stages, as many as another policy would
 * replay, or always as many.
 *
 * @param budget most samples of an update
 * @param size the other policy; null for the whole budget always
 */
record DrawnSelection(
    TracedStore store, Contender.Draw draw, int budget, long seed, @Nullable SelectionPolicy size)
    implements SelectionPolicy {
  @Override
  public void scored(float loss) {
    if (size != null) {
      size.scored(loss);
    }
  }

  @Override
  public long[] replayed(long updateNumber) {
    int count = size == null ? budget : size.replayed(updateNumber).length;
    return store.draw(
        draw, count, new SplittableRandom(seed * BitMixer.GOLDEN_RATIO + updateNumber));
  }
}
