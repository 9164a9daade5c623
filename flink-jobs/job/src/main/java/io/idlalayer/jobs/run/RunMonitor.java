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

  /** Reports that something begins which takes a while. */
  void phase(String text);

  /** Reports an event, which the view contains already. */
  void event(RunView view, DecisionEvent event);

  /** Called several times a second while the job runs. */
  void tick(RunView view);
}
