package io.idlalayer.jobs.run;

import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.report.SavedState;

/**
 * The result of a run that was followed to its end.
 *
 * @param finished whether the input was learned to its end; false if the run was stopped
 * @param saved the recovery point from which the run started, and the state that the run saved
 */
public record RunOutcome(RunView view, boolean finished, double wallSeconds, SavedState saved) {}
