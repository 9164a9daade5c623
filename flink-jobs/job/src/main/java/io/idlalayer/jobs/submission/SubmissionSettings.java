package io.idlalayer.jobs.submission;

import io.idlalayer.jobs.run.FlinkSettings;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.LearnerPlacement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.CheckpointingMode;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a job on a Flink that the product did not start. Settings of the user take
 * precedence. The product adds its own setting if the user has not set a key. If the job cannot
 * work with a setting of the user, the setting is refused by its name.
 */
final class SubmissionSettings {
  private static final String LOCAL_DIRECTORIES = "state.backend.rocksdb.localdir";
  private static final String STATE_BACKENDS = "rocksdb or hashmap";

  /** Settings of the product that depend on its work directory. */
  private static final Set<String> OF_WORK_DIRECTORIES =
      Set.of(
          CheckpointingOptions.CHECKPOINT_STORAGE.key(),
          CheckpointingOptions.CHECKPOINTS_DIRECTORY.key(),
          CheckpointingOptions.SAVEPOINT_DIRECTORY.key());

  /** Options that a user might have set under an older key. */
  private static final List<ConfigOption<?>> OLDER_KEYS =
      List.of(
          StateBackendOptions.STATE_BACKEND,
          CheckpointingOptions.INCREMENTAL_CHECKPOINTS,
          CheckpointingOptions.CHECKPOINTING_INTERVAL,
          CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE,
          CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
          CheckpointingOptions.MAX_RETAINED_CHECKPOINTS,
          CheckpointingOptions.TOLERABLE_FAILURE_NUMBER,
          RestartStrategyOptions.RESTART_STRATEGY);

  private SubmissionSettings() {}

  /** Returns one sentence for each setting of the user with which the job cannot work. */
  static List<String> problems(ReadableConfig user, List<ApplicationSettings> applications) {
    List<String> problems = new ArrayList<>();
    user.getOptional(StateBackendOptions.STATE_BACKEND)
        .filter(backend -> !known(backend))
        .ifPresent(
            backend ->
                problems.add(
                    "%s is %s; learners were run with %s only: set one of them for this job with -D"
                        .formatted(
                            StateBackendOptions.STATE_BACKEND.key(), backend, STATE_BACKENDS)));
    user.getOptional(CheckpointingOptions.CHECKPOINT_STORAGE)
        .filter(storage -> storage.equalsIgnoreCase("jobmanager"))
        .ifPresent(
            storage ->
                problems.add(
                    "%s is jobmanager, which holds a few MiB of state: set %s instead"
                        .formatted(
                            CheckpointingOptions.CHECKPOINT_STORAGE.key(),
                            CheckpointingOptions.CHECKPOINTS_DIRECTORY.key())));
    user.getOptional(CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE)
        .filter(mode -> mode != CheckpointingMode.EXACTLY_ONCE)
        .ifPresent(
            mode ->
                problems.add(
                    "%s is %s, so events would be learned twice: set EXACTLY_ONCE for this job with -D"
                        .formatted(
                            CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE.key(), mode)));
    if (applications.stream().anyMatch(each -> each.mixing().on())
        && user.getOptional(CheckpointingOptions.ENABLE_UNALIGNED).orElse(false)) {
      problems.add(
          "%s is true, but mixing of models needs aligned checkpoints: set it to false for this job with -D"
              .formatted(CheckpointingOptions.ENABLE_UNALIGNED.key()));
    }
    user.getOptional(PipelineOptions.MAX_PARALLELISM)
        .filter(most -> most > 0 && most != LearnerPlacement.KEY_GROUPS)
        .ifPresent(
            most ->
                problems.add(
                    "%s is %d; learners are placed by %d key groups: set that for this job with -D"
                        .formatted(
                            PipelineOptions.MAX_PARALLELISM.key(),
                            most,
                            LearnerPlacement.KEY_GROUPS)));
    user.getOptional(ExecutionOptions.RUNTIME_MODE)
        .filter(mode -> mode == RuntimeExecutionMode.BATCH)
        .ifPresent(
            mode ->
                problems.add(
                    "%s is BATCH; learners need STREAMING"
                        .formatted(ExecutionOptions.RUNTIME_MODE.key())));
    String slow = slowDirectory(applications);
    String local = user.toMap().get(LOCAL_DIRECTORIES);
    if (slow != null && local != null && !local.equals(slow)) {
      problems.add(
          "memory.slow-directory is %s, and %s of Flink %s: leave out one of them"
              .formatted(slow, LOCAL_DIRECTORIES, local));
    }
    return problems;
  }

  private static boolean known(String backend) {
    String name = backend.toLowerCase(Locale.ROOT);
    return name.contains("rocksdb") || name.contains("hashmap");
  }

  /**
   * Returns the slow directory of the job. Applications of one job never name different slow
   * directories.
   */
  private static @Nullable String slowDirectory(List<ApplicationSettings> applications) {
    return applications.stream()
        .map(application -> application.memory().slowDirectory())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Returns the product's settings for all keys that the user has not set. */
  static Configuration missing(ReadableConfig user, List<ApplicationSettings> applications) {
    Map<String, String> ours =
        FlinkSettings.configuration(
                new FlinkSettings.Storage("", "", slowDirectory(applications), null))
            .toMap();
    Map<String, String> theirs = user.toMap();
    boolean restarts = user.getOptional(RestartStrategyOptions.RESTART_STRATEGY).isPresent();
    Configuration missing = new Configuration();
    ours.forEach(
        (key, value) -> {
          boolean made =
              theirs.containsKey(key)
                  || OLDER_KEYS.stream()
                      .anyMatch(it -> it.key().equals(key) && user.getOptional(it).isPresent())
                  || (restarts && key.startsWith("restart-strategy"));
          if (!made && !OF_WORK_DIRECTORIES.contains(key)) {
            missing.setString(key, value);
          }
        });
    return missing;
  }
}
