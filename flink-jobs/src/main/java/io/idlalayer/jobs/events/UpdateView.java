package io.idlalayer.jobs.events;

/**
 * One update in numbers. Fields that are not known yet are 0.
 *
 * @param number counts updates from 1, without gaps along the lineage
 * @param version published model version
 * @param parentVersion version it was trained from, 0 for none
 * @param publishedAtMillis when the pointer moved
 */
public record UpdateView(
    long number,
    long version,
    long parentVersion,
    long firedAtMillis,
    String rule,
    String reason,
    double regretSampleSeconds,
    double thresholdSampleSeconds,
    int newSamples,
    int replayedSamples,
    double trainSeconds,
    double predictedTrainSeconds,
    double meanLossBefore,
    double meanLossAfter,
    long publishedAtMillis) {}
