package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.learner.forget.Forgetting;
import io.idlalayer.jobs.learner.mixing.MixedLearning;
import io.idlalayer.jobs.learner.publish.IncorporationLatency;
import io.idlalayer.jobs.learner.publish.LineageStart;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.update.UpdateController;
import org.jspecify.annotations.Nullable;

/**
 * The stateful components of a learner's updates, from the decision to the publication, and the
 * meter of their costs.
 *
 * @param mixing the learner's share in the mixed model of all partitions; null if its model is not
 *     mixed
 * @param start the network with which the first training begins
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
    ProcessorTime processor,
    @Nullable MixedLearning mixing,
    LineageStart start,
    Forgetting forgetting) {}
