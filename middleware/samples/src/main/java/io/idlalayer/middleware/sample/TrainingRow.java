package io.idlalayer.middleware.sample;

/**
 * A row of a training batch: a sample with its content and an earlier loss.
 *
 * @param sampleId id within the application partition
 * @param content hash of the sample's features, label and context; rows with equal contents are
 *     trained as separate rows, but can be computed together
 * @param lossBefore loss with an earlier model (prequential for a new sample, after the last
 *     training for a replayed one); NaN when never measured
 * @param fresh true if the sample is trained for the first time
 */
public record TrainingRow(
    long sampleId, long content, Sample sample, float lossBefore, boolean fresh) {}
