package io.idlalayer.middleware.sample;

/**
 * A row of a training batch: a sample with its weight and an earlier loss.
 *
 * @param sampleId id within the application partition
 * @param weight how often the sample counts in the loss, at least 1 (occurrences, capped)
 * @param lossBefore loss under an earlier model (prequential for a new sample, after the last
 *     training for a replayed one); NaN when never measured
 * @param fresh true if the sample is trained for the first time
 */
public record TrainingRow(
    long sampleId, Sample sample, float weight, float lossBefore, boolean fresh) {}
