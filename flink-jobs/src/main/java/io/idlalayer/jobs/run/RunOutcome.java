package io.idlalayer.jobs.run;

import io.idlalayer.jobs.report.RunView;

/**
 * How a run that was followed ended.
 *
 * @param finished whether the input was learned to its end; false if the run was stopped
 */
public record RunOutcome(RunView view, boolean finished, double wallSeconds) {}
