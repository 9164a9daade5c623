package io.idlalayer.jobs.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * The counts of a job's checkpoints that Flink keeps, from the time when the JobManager got the
 * job.
 *
 * @param completed checkpoints and savepoints that are complete
 * @param failed checkpoints and savepoints that failed
 * @param reason why the last one failed, in Flink's words; null if it tells nothing
 */
public record CheckpointCounts(long completed, long failed, @Nullable String reason) {}
