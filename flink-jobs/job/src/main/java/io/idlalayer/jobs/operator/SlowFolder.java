package io.idlalayer.jobs.operator;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.jspecify.annotations.Nullable;

/**
 * The folder in which RocksDB keeps the state of a running job. For messages, this class describes
 * what is wrong in the folder and what to do.
 *
 * @param directories folders, of which RocksDB uses one; a folder might be full or missing. Empty
 *     if the state is on the heap
 */
record SlowFolder(List<Path> directories) {
  private static final String LOCAL_DIRECTORIES = "state.backend.rocksdb.localdir";

  /** Least free space in bytes; with less, RocksDB cannot continue. */
  private static final long FEW_BYTES = 256L << 20;

  /**
   * Advice on restarts. Flink decides from which checkpoint a job restarts. Before the first
   * checkpoint there is none.
   */
  private static final String RESTART =
      "Nothing is lost: learners go on from the last checkpoint, or from the start of their input"
          + " if there is none yet.";

  SlowFolder {
    directories = List.copyOf(directories);
  }

  /**
   * Returns the folder in which a subtask keeps its state.
   *
   * @param named the setting {@code memory.slow-directory}; null if the setting is absent, so that
   *     RocksDB uses the folders of Flink's configuration
   */
  static SlowFolder of(RuntimeContext context, @Nullable String named) {
    StreamingRuntimeContext subtask = (StreamingRuntimeContext) context;
    TaskManagerRuntimeInfo process = subtask.getTaskManagerRuntimeInfo();
    // As in Flink, the settings of the job take precedence over the settings of its processes.
    Configuration settings = new Configuration(process.getConfiguration());
    settings.addAll(subtask.getJobConfiguration());
    return of(settings, process.getTmpDirectories(), named);
  }

  /**
   * @param temporary temporary directories of the process, which RocksDB uses if the settings name
   *     no folder
   */
  static SlowFolder of(Configuration settings, String[] temporary, @Nullable String named) {
    String backend = settings.get(StateBackendOptions.STATE_BACKEND);
    if (backend.toLowerCase(Locale.ROOT).contains("hashmap")) {
      return new SlowFolder(List.of());
    }
    if (named != null) {
      return new SlowFolder(List.of(Path.of(named)));
    }
    String set = settings.getString(LOCAL_DIRECTORIES, null);
    String[] all = set == null ? temporary : set.split(",|" + File.pathSeparator, -1);
    return new SlowFolder(
        Arrays.stream(all).filter(each -> !each.isBlank()).map(Path::of).toList());
  }

  /**
   * Returns sentences that tell an operator what to do if state cannot be read or written in these
   * folders.
   */
  String advice() {
    return switch (directories.size()) {
      case 0 ->
          "The state is in the heap of this process (state.backend.type: hashmap) and not in a folder: fix what the cause says; then start again. "
              + RESTART;
      case 1 ->
          "The state is in %s, which %s; then start again. %s"
              .formatted(directories.get(0), new Look(directories.get(0)), RESTART);
      default ->
          directories.stream()
              .map(each -> each + " " + new Look(each))
              .collect(
                  Collectors.joining(
                      "; ",
                      "The state is in one of several folders: ",
                      "; then start again. " + RESTART));
    };
  }

  /** The condition of a directory, as text with advice. */
  private record Look(Path directory) {
    @Override
    public String toString() {
      if (!Files.isDirectory(directory)) {
        return "is gone: mount it again, or name another folder in memory.slow-directory";
      }
      try {
        long bytes = Files.getFileStore(directory).getUsableSpace();
        String left = "has %,d MiB left: ".formatted(bytes >> 20);
        return left
            + (bytes < FEW_BYTES
                ? "make room there, or name a folder with more space in memory.slow-directory"
                : "fix what the cause says, or name another folder in memory.slow-directory");
      } catch (IOException failed) {
        return "cannot be used (%s): mount it again, or name another folder in"
                .formatted(failed.getMessage())
            + " memory.slow-directory";
      }
    }
  }
}
