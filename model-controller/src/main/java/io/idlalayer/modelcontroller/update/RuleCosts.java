package io.idlalayer.modelcontroller.update;

/**
 * What a rule weighs, fixed between two trainings.
 *
 * @param secondsPerSample lambda: what one more sample adds to a training
 * @param updateCost C = w * (eps + lambda * R), in sample-seconds: what one more update costs, with
 *     R replayed samples
 */
record RuleCosts(double secondsPerSample, double updateCost) {}
