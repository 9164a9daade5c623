package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;

/** Finds samples that can train again, and draws among them. */
final class Trained {
  private Trained() {}

  /** Slots of all samples that were trained and have their label. */
  static int[] slots(SampleIndex index) {
    int[] slots = new int[index.size() - index.count(LifeStage.NEWBORN)];
    int count = 0;
    for (int slot = 0; slot < index.slots() && count < slots.length; slot++) {
      if (index.occupied(slot) && index.stage(slot) != LifeStage.NEWBORN && index.labeled(slot)) {
        slots[count++] = slot;
      }
    }
    return Arrays.copyOf(slots, count);
  }

  /** A number in [0, 1) that seed, round and sample determine, as good as random. */
  static double draw(long seed, long round, long sampleId) {
    long mixed = seed * 0x9E3779B97F4A7C15L + round * 0xBF58476D1CE4E5B9L + sampleId;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return ((mixed ^ (mixed >>> 31)) >>> 11) * 0x1.0p-53;
  }

  /** Ids of the first slots, ascending. */
  static long[] ids(SampleIndex index, int[] slots, int count) {
    long[] ids = new long[Math.min(count, slots.length)];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = index.id(slots[i]);
    }
    Arrays.sort(ids);
    return ids;
  }
}
