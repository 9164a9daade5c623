package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Fills the budget with as many samples of each class, drawn at random anew for every update. What
 * a small class cannot fill goes to the others.
 */
final class ClassBalancedSelection implements SelectionPolicy {
  private final Replay settings;
  private final long seed;

  ClassBalancedSelection(Replay settings, long seed) {
    this.settings = settings;
    this.seed = seed;
  }

  @Override
  public long[] replayed(SampleIndex index, long updateNumber) {
    int[] slots = Trained.slots(index);
    // First by draw; then each sample's place among those of its class is its rank.
    double[] draws = new double[slots.length];
    Integer[] order = new Integer[slots.length];
    for (int i = 0; i < slots.length; i++) {
      draws[i] = Trained.draw(seed, updateNumber, index.id(slots[i]));
      order[i] = i;
    }
    Arrays.sort(order, (a, b) -> Double.compare(draws[b], draws[a]));
    Map<Float, Integer> taken = new HashMap<>();
    int[] place = new int[index.slots()];
    for (int i : order) {
      place[slots[i]] = taken.merge(index.label(slots[i]), 1, Integer::sum);
    }
    TopScores.select(index, slots, settings.budget(), slot -> -place[slot]);
    return Trained.ids(index, slots, settings.budget());
  }
}
