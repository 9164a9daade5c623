package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.evaluation.StageReport;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.state.DecisionLog;
import io.idlalayer.jobs.learner.state.LearnerTime;

/** Says what happens to a learner's updates. */
public interface UpdateLog extends DecisionLog {
  /**
   * An update was started.
   *
   * @param arrivals wall times of its new samples
   */
  void fired(UpdateRecord update, ArrivalTimes arrivals, LearnerTime now);

  /** An update was accepted; the report says who moved between life stages. */
  void staged(UpdateRecord update, StageReport report, LearnerTime now);
}
