package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.state.DecisionLog;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.StateSaver;

/**
 * The components that a release works with.
 *
 * @param state writes the state that a transition has changed
 */
public record ReleaseParts(
    ReleaseGate gate,
    TrustedWatch trusted,
    ServiceWatch service,
    Publication publication,
    EventCounters counters,
    Scoring scoring,
    VersionRows rows,
    StateSaver state,
    DecisionLog log) {}
