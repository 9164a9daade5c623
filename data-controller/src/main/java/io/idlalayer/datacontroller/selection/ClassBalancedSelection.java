package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SlotOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Fills the replay budget with an equal number of samples of each class, drawn at random anew for
 * every update. If a class has fewer samples than its part, the rest of its part is distributed
 * among the other classes. Labels that are not a class number below {@link #CLASSES} are divided by
 * their hash into {@link #CLASSES} further groups.
 */
final class ClassBalancedSelection implements SelectionPolicy {
  static final int CLASSES = 4_096;

  private final Replay settings;
  private final long seed;
  private final SampleIndex index;
  private final SlotOrder byClass;

  ClassBalancedSelection(Replay settings, long seed, SampleIndex index) {
    this.settings = settings;
    this.seed = seed;
    this.index = index;
    byClass = index.countedOrder(new ByClass(index));
  }

  @Override
  public long[] replayed(long updateNumber) {
    SplittableRandom random = TrainedSamples.random(seed, updateNumber);
    int[] shares = shares();
    long[][] drawn = new long[shares.length][];
    for (int group = 0; group < shares.length; group++) {
      drawn[group] = TrainedSamples.drawn(index, byClass, group, shares[group], random);
    }
    return TrainedSamples.ascending(drawn);
  }

  /**
   * Returns how many samples of each class are replayed: the same number for each class, or all
   * samples of a small class. The remainder is distributed in the order of the class numbers.
   */
  private int[] shares() {
    int[] sizes = new int[byClass.groups()];
    for (int group = 0; group < sizes.length; group++) {
      sizes[group] = byClass.size(group);
    }
    int level = 0;
    int above = settings.budget();
    while (level < above) {
      int middle = (int) (((long) level + above + 1) / 2);
      if (taken(sizes, middle) <= settings.budget()) {
        level = middle;
      } else {
        above = middle - 1;
      }
    }
    int all = level;
    int[] shares = Arrays.stream(sizes).map(size -> Math.min(size, all)).toArray();
    long rest = settings.budget() - taken(sizes, level);
    for (int group = 0; group < sizes.length && rest > 0; group++) {
      if (sizes[group] > level) {
        shares[group]++;
        rest--;
      }
    }
    return shares;
  }

  private static long taken(int[] sizes, int level) {
    return Arrays.stream(sizes).mapToLong(size -> Math.min(size, level)).sum();
  }

  private record ByClass(SampleIndex index) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      if (!TrainedSamples.is(index, slot)) {
        return -1;
      }
      float label = index.label(slot);
      int number = (int) label;
      return number == label && number >= 0 && number < CLASSES
          ? number
          : CLASSES + Math.floorMod(Float.hashCode(label) * 0x9E3779B9, CLASSES);
    }

    @Override
    public long key(int slot) {
      return 0;
    }
  }
}
