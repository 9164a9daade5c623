package io.idlalayer.modelcontroller.replay;

/**
 * What a rule did with a trace.
 *
 * @param rule its name, with its parameter if one was chosen for it
 * @param cost J: all latencies plus weight times machine seconds, in sample-seconds
 * @param updates trainings that succeeded
 * @param machineSeconds their time, and that of trainings given up
 * @param restarts trainings given up for a larger one
 * @param wallSeconds what the replay took
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
