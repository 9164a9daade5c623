package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.learner.publish.IncorporationLatency;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.update.UpdateController;

/**
 * The stateful components of a learner's updates, from the decision to the publication, and the
 * clock of what they cost.
 */
public record UpdateParts(
    EventCounters counters,
    DataController data,
    UpdateController controller,
    DriftUrgency drift,
    TrainingAttempts attempts,
    UpdateCycle cycle,
    Publication publication,
    IncorporationLatency incorporation,
    ProcessorTime processor) {}
