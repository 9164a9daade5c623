package io.idlalayer.jobs.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * Flink's counts of a job's checkpoints since the JobManager got the job.
 *
 * @param completed checkpoints and savepoints that are complete
 * @param failed checkpoints and savepoints that failed
 * @param reason why the last failed checkpoint failed, in Flink's words; null if Flink gives no
 *     reason
 */
public record CheckpointCounts(long completed, long failed, @Nullable String reason) {}
