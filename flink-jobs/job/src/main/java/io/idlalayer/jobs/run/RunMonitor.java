package io.idlalayer.jobs.run;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunView;

/** Watches a run, on the run's thread. */
public interface RunMonitor {
  /**
   * The topics exist, and the job is submitted.
   *
   * @param servers bootstrap servers of the topics
   */
  default void submitted(String servers) {}

  /** Something begins that takes a while. */
  void phase(String text);

  /** An event was followed; the view has it already. */
  void event(RunView view, DecisionEvent event);

  /** Called several times a second while the job runs. */
  void tick(RunView view);
}
