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
 * @param predictions file of what is predicted for new events, null for none
 * @param submission the submission that is noted beside the models, which allows learners to begin
 *     from nothing; null if the way to start has decided that
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
