package io.idlalayer.jobs.learner;

/**
 * What a release is made of.
 *
 * @param state writes what a transition has changed
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
