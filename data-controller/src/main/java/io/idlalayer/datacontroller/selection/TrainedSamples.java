package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SlotOrder;
import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Finds samples that were trained and can be trained again, and draws random samples among them.
 */
final class TrainedSamples {
  private static final long PER_ROUND = 0xBF58476D1CE4E5B9L;

  private TrainedSamples() {}

  /**
   * Returns whether the sample in a slot was trained and has its label. Samples that were
   * quarantined, passed over or given up are in stage Discard too, but do not train again.
   */
  static boolean is(SampleIndex index, int slot) {
    return index.stage(slot) != LifeStage.NEWBORN
        && index.labeled(slot)
        && index.evaluations(slot) > 0;
  }

  /** Returns a pseudorandom number in [0, 1) that depends only on seed, round and sample. */
  static double draw(long seed, long round, long sampleId) {
    long mixed = BitMixer.splitMix(seed * BitMixer.GOLDEN_RATIO + round * PER_ROUND + sampleId);
    return (mixed >>> 11) * 0x1.0p-53;
  }

  /** Returns the random generator for the draws of an update. */
  static SplittableRandom random(long seed, long updateNumber) {
    return new SplittableRandom(seed * BitMixer.GOLDEN_RATIO + updateNumber);
  }

  /** Returns the ids of the first samples of a group, in the order of the group. */
  static long[] first(SampleIndex index, SlotOrder order, int group, int count) {
    long[] ids = new long[Math.min(count, order.size(group))];
    SlotOrder.Walk walk = order.walk(group);
    for (int i = 0; i < ids.length; i++) {
      ids[i] = index.id(walk.next());
    }
    return ids;
  }

  /**
   * Returns the ids of different samples of a group, drawn with equal probability, in the order of
   * the draws.
   */
  static long[] drawn(
      SampleIndex index, SlotOrder order, int group, int count, SplittableRandom random) {
    int size = order.size(group);
    long[] ids = new long[Math.min(count, size)];
    // These are the first steps of a shuffle of all places. Only the moved places are stored.
    Map<Integer, Integer> moved = new HashMap<>();
    for (int i = 0; i < ids.length; i++) {
      int pick = i + random.nextInt(size - i);
      ids[i] = index.id(order.at(group, moved.getOrDefault(pick, pick)));
      moved.put(pick, moved.getOrDefault(i, i));
      moved.remove(i);
    }
    return ids;
  }

  /** Returns the ids of all given arrays in one array, ascending. */
  static long[] ascending(long[]... parts) {
    long[] all = Arrays.stream(parts).flatMapToLong(Arrays::stream).toArray();
    Arrays.sort(all);
    return all;
  }
}
