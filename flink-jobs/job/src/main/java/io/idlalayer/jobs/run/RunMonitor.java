package io.idlalayer.jobs.run;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunView;

/** Receives the progress of a run, on the run's thread. */
public interface RunMonitor {
  /**
   * Called when the topics exist and the job is submitted.
   *
   * @param servers bootstrap servers of the topics
   */
  default void submitted(String servers) {}

  /**
   * Called when it becomes known how much this run sends.
   *
   * @param records number of records, those of labels too; 0 if earlier runs have sent a part that
   *     may not be learned yet
   */
  default void expects(long records) {}

  /**
   * Called at the beginning if it is known how long the input is.
   *
   * @param records number of records, together with those that earlier runs have sent
   */
  default void expectsInAll(long records) {}

  /** Called when a part of the run begins that takes a while. */
  void phase(String text);

  /** Called once if the input of the run, and that of its labels, hold no record. */
  default void nothingToSend() {}

  /** Called for each event, which the view contains already. */
  void event(RunView view, DecisionEvent event);

  /** Called several times a second while the job runs. */
  void tick(RunView view);
}
