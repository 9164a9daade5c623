package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.modelcontroller.update.UpdateController;
import java.util.function.Consumer;

/**
 * What waits for its first training, as the data controller knows it, for the update controller.
 */
final class Waiting {
  private Waiting() {}

  static Consumer<UpdateController.Arrivals> of(DataController data) {
    return update ->
        data.waiting().forEachArrival(millis -> update.arrived(LearnerTime.nanos(millis)));
  }
}
