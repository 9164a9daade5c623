package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.modelcontroller.update.UpdateController;
import java.util.function.Consumer;

/**
 * What waits for its first training. The truth is in the stored samples: their labelled Newborns
 * that are not in a fired update. From these the data controller has its queue of ids, after a
 * restart as before. The update controller has no ids and no state of what waits. It keeps the
 * arrival times alone, in the same order, because its rules need them in constant time for each
 * event. It takes over each arrival and each firing as they happen, and after everything else (a
 * label that was taken back, a training without a result, a quarantine, a restart) it takes all
 * times anew from here. {@code LearnerHistoryPropertyTest} compares what it weighs with the stored
 * samples whenever the learner says something.
 */
public final class WaitingSummary {
  private WaitingSummary() {}

  public static Consumer<UpdateController.Arrivals> of(DataController data) {
    return update ->
        data.waiting().forEachArrival(millis -> update.arrived(LearnerTime.nanos(millis)));
  }
}
