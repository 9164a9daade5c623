package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.modelcontroller.update.UpdateController;
import java.util.function.Consumer;

/**
 * Summarizes the samples that wait for their first training. The stored samples determine which
 * samples wait: labelled Newborns that are not in a fired update. The data controller derives its
 * queue of ids from the stored samples, also after a restart. The update controller keeps no ids
 * and no state of waiting samples. It keeps only their arrival times, in the order of the queue,
 * because its rules need them in constant time for each event. The update controller updates these
 * times with each arrival and each fired update. After any other change (a label that was taken
 * back, a training without a result, a quarantine, a restart) it reads all times from this summary
 * again. {@code LearnerHistoryPropertyTest} compares the times of the update controller with the
 * stored samples at each event that the learner sends.
 */
public final class WaitingSummary {
  private WaitingSummary() {}

  public static Consumer<UpdateController.Arrivals> of(DataController data) {
    return update ->
        data.waiting().forEachArrival(millis -> update.arrived(LearnerTime.nanos(millis)));
  }
}
