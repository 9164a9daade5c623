package io.idlalayer.datacontroller;

import io.idlalayer.datacontroller.stage.LifeStageMachine;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.SortedMap;

/** Lets samples that no update trained for long go one stage down. */
final class Ageing {
  private final int maxAgeUpdates;
  private final SampleIndex index;

  Ageing(int maxAgeUpdates, SampleIndex index) {
    this.maxAgeUpdates = maxAgeUpdates;
    this.index = index;
  }

  /**
   * Ages the samples after an update.
   *
   * @param changed takes the metadata of those that moved
   * @param report takes the moves
   */
  void after(long updateNumber, SortedMap<Long, SampleMetadata> changed, StageReport report) {
    if (maxAgeUpdates == 0) {
      return;
    }
    for (int slot = 0; slot < index.slots(); slot++) {
      if (index.occupied(slot) && !index.inTraining(slot) && aged(slot, updateNumber)) {
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
  }

  private boolean aged(int slot, long updateNumber) {
    LifeStage stage = index.stage(slot);
    return (stage == LifeStage.PRESERVE || stage == LifeStage.MATURE)
        && updateNumber - index.seenInUpdate(slot) > maxAgeUpdates;
  }
}
