package io.idlalayer.jobs.job;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The locations that a job reads from and writes to.
 *
 * @param bootstrapServers Kafka servers, "host:port,..."
 * @param models absolute folder of models for applications that name none; null if all name one
 * @param tensors absolute folder of tensors that are not in DRAM, for applications that name none;
 *     null for a temporary folder of the process that trains
 * @param consumerGroup Kafka group that shows the job's progress; Flink keeps the positions itself
 * @param predictions file for the predictions for new events; null for none
 * @param submission the submission whose note beside the models says whether learners are allowed
 *     to begin from nothing; null if this was decided before the job started
 */
public record JobLocations(
    String bootstrapServers,
    @Nullable Path models,
    @Nullable Path tensors,
    String consumerGroup,
    @Nullable Path predictions,
    @Nullable String submission) {
  public JobLocations {
    models = absolute(models);
    tensors = absolute(tensors);
  }

  private static @Nullable Path absolute(@Nullable Path folder) {
    return folder == null ? null : folder.toAbsolutePath().normalize();
  }
}
