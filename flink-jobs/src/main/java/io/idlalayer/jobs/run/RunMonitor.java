package io.idlalayer.jobs.run;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunView;

/** Watches a run, on the run's thread. */
public interface RunMonitor {
  /** Something begins that takes a while. */
  void phase(String text);

  /** An event was followed; the view has it already. */
  void event(RunView view, DecisionEvent event);

  /** Called several times a second while the job runs. */
  void tick(RunView view);
}
