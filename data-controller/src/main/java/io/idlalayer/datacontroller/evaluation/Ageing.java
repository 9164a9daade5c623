package io.idlalayer.datacontroller.evaluation;

import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SlotOrder;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decides which samples move one stage down because no update has trained on them for a long time.
 */
final class Ageing {
  private final int maxAgeUpdates;
  private final SampleIndex index;
  private final @Nullable SlotOrder longestUnseen;

  /**
   * @param maxAgeUpdates number of updates without training after which a sample ages; 0 for never
   */
  Ageing(int maxAgeUpdates, SampleIndex index) {
    this.maxAgeUpdates = maxAgeUpdates;
    this.index = index;
    longestUnseen = maxAgeUpdates == 0 ? null : index.order(new Unseen(index));
  }

  /**
   * Returns the slots of the samples that age with an update that does not train them. The samples
   * that were not trained for the longest time come first.
   */
  int[] due(long updateNumber) {
    int[] slots = new int[16];
    int count = 0;
    if (longestUnseen != null) {
      SlotOrder.Walk walk = longestUnseen.walk(0);
      while (walk.peek() != SampleIndex.ABSENT
          && updateNumber - index.seenInUpdate(walk.peek()) > maxAgeUpdates) {
        int slot = walk.next();
        if (!index.inTraining(slot)) {
          slots = count == slots.length ? Arrays.copyOf(slots, 2 * count) : slots;
          slots[count++] = slot;
        }
      }
    }
    return Arrays.copyOf(slots, count);
  }

  /** Orders the samples that can age by the update that trained on them last. */
  private record Unseen(SampleIndex index) implements SlotOrder.Ranking {
    @Override
    public int group(int slot) {
      LifeStage stage = index.stage(slot);
      return stage == LifeStage.PRESERVE || stage == LifeStage.MATURE ? 0 : -1;
    }

    @Override
    public long key(int slot) {
      return index.seenInUpdate(slot);
    }
  }
}
