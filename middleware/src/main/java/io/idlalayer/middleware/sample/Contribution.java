package io.idlalayer.middleware.sample;

/**
 * What one update learned from one sample.
 *
 * @param lossBefore loss before the update; finite
 * @param lossAfter loss under the updated model; finite
 */
public record Contribution(long sampleId, float lossBefore, float lossAfter) {}
