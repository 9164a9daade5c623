package io.idlalayer.modelcontroller.replay;

/**
 * The costs and counts of a run of a rule on a trace.
 *
 * @param rule its name, with its parameter if one was chosen for it
 * @param cost J: all latencies plus weight times machine seconds, in sample-seconds
 * @param updates number of trainings that succeeded
 * @param machineSeconds their time, and the time of aborted trainings
 * @param restarts number of trainings aborted in favor of a larger one
 * @param wallSeconds duration of the replay
 */
public record RuleOutcome(
    String rule,
    double cost,
    double meanLatencySeconds,
    double p99LatencySeconds,
    long updates,
    double machineSeconds,
    long restarts,
    double wallSeconds) {}
