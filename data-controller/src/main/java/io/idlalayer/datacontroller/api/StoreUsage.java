package io.idlalayer.datacontroller.api;

/**
 * Numbers that show how full a data controller's store is.
 *
 * @param stages stored samples by life stage
 * @param samples stored samples
 * @param bytes payload bytes of these samples
 * @param evicted samples evicted so far
 * @param expiredUnlabeled samples deleted so far because no label came
 * @param waitingLabels stored labels whose events have not come; they count as samples too
 */
public record StoreUsage(
    StageCounts stages,
    long samples,
    long bytes,
    long evicted,
    long expiredUnlabeled,
    long waitingLabels) {}
