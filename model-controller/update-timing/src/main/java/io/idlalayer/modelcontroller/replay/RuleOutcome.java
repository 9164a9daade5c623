package io.idlalayer.modelcontroller.replay;

/**
 * The costs and counts of a run of a rule on a trace.
 *
 * @param rule name of the rule, with its parameter if the replay lab chose one
 * @param cost J: all latencies plus weight times machine seconds, in sample-seconds
 * @param updates number of trainings that succeeded
 * @param machineSeconds duration of all trainings, including aborted trainings
 * @param restarts number of trainings aborted in favor of a larger one
 * @param wallSeconds real duration of the run
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
