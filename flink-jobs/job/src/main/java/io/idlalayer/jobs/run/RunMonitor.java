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
   * Called when the number of records that this run sends becomes known.
   *
   * @param records number of records, including records of labels; 0 if earlier runs have sent some
   *     of the records, because these might not be learned yet
   */
  default void expects(long records) {}

  /**
   * Called at the beginning if the length of the input is known.
   *
   * @param records number of records, including the records that earlier runs have sent
   */
  default void expectsInAll(long records) {}

  /** Called when a longer part of the run begins, and when the user has to know something. */
  void phase(String text);

  /** Called once if neither the input of the run nor its input of labels holds a record. */
  default void nothingToSend() {}

  /** Called for each event, which the view contains already. */
  void event(RunView view, DecisionEvent event);

  /** Called several times a second while the job runs. */
  void tick(RunView view);
}
