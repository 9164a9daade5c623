package io.idlalayer.benchmarks.quality;

import io.idlalayer.datacontroller.api.StageCounts;
import java.util.List;

/**
 * A finished run.
 *
 * @param events length of the stream
 * @param scored number of events that were scored
 * @param dropped number of trainings that failed
 * @param stages number of stored samples in each stage, at five equidistant times
 */
record RunOutcome(
    int events,
    int scored,
    Tally.Quality quality,
    RunCosts costs,
    int dropped,
    ReplayProfile replay,
    List<StageCounts> stages) {}
