package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.evaluation.StageReport;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.StepPlan;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.state.DecisionLog;
import io.idlalayer.jobs.learner.state.LearnerTime;

/** Receives reports about a learner's updates. */
public interface UpdateLog extends DecisionLog {
  /**
   * Reports that an update was started.
   *
   * @param arrivals arrival times of its new samples by the wall clock
   */
  void fired(UpdateRecord update, ArrivalTimes arrivals, LearnerTime now);

  /**
   * Reports that an update was accepted; the report contains the samples that moved between life
   * stages.
   */
  void staged(UpdateRecord update, StageReport report, LearnerTime now);

  /**
   * Reports that the training of an update has followed another plan than the trainings before it.
   */
  void planned(UpdateRecord update, StepPlan plan, String message, LearnerTime now);
}
