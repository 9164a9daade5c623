package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SlotOrder;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Lets samples that no update trained for long go one stage down. */
final class Ageing {
  private final int maxAgeUpdates;
  private final SampleIndex index;
  private final @Nullable SlotOrder longestUnseen;

  /**
   * @param maxAgeUpdates 0 for never
   */
  Ageing(int maxAgeUpdates, SampleIndex index) {
    this.maxAgeUpdates = maxAgeUpdates;
    this.index = index;
    longestUnseen = maxAgeUpdates == 0 ? null : index.order(new Unseen(index));
  }

  /**
   * Ages the samples after an update.
   *
   * @param changed takes the metadata of those that moved
   * @param report takes the moves
   */
  void after(long updateNumber, SortedMap<Long, SampleMetadata> changed, StageReport report) {
    for (int slot : aged(updateNumber)) {
      LifeStage before = index.stage(slot);
      LifeStage after = LifeStageMachine.next(before, StageEvent.AGED);
      index.stage(slot, after);
      index.seenInUpdate(slot, updateNumber);
      changed.put(index.id(slot), index.metadata(slot));
      report.add(
          new StageMove(
              index.id(slot),
              before,
              after,
              index.score(slot),
              index.contribution(slot),
              StageMove.Cause.AGE));
    }
  }

  private int[] aged(long updateNumber) {
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

  /** What can age, by the update that saw it last. */
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
