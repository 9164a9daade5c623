package io.idlalayer.jobs.run;

import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.report.SavedState;

/**
 * How a run that was followed ended.
 *
 * @param finished whether the input was learned to its end; false if the run was stopped
 * @param saved from what it went on, and what it saved
 */
public record RunOutcome(RunView view, boolean finished, double wallSeconds, SavedState saved) {}
