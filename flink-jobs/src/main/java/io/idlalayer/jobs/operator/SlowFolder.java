package io.idlalayer.jobs.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.jspecify.annotations.Nullable;

/**
 * The folder of RocksDB's working files, for messages: what is wrong with it and what to do.
 *
 * @param directory that may be full or gone
 */
record SlowFolder(Path directory) {
  private static final String LOCAL_DIRECTORY = "state.backend.rocksdb.localdir";

  /** Less is too little for RocksDB to go on. */
  private static final long FEW_BYTES = 256L << 20;

  /**
   * The folder that a subtask's RocksDB works in.
   *
   * @param named {@code memory.slow-directory}; null if the process has a folder of its own
   */
  static SlowFolder of(RuntimeContext context, @Nullable String named) {
    if (named != null) {
      return new SlowFolder(Path.of(named));
    }
    TaskManagerRuntimeInfo process =
        ((StreamingRuntimeContext) context).getTaskManagerRuntimeInfo();
    String temporary = process.getTmpDirectories()[0];
    return new SlowFolder(
        Path.of(process.getConfiguration().getString(LOCAL_DIRECTORY, temporary)));
  }

  /** What to do when rows cannot be read or written there: sentences for people. */
  String advice() {
    return ("The store is in %s, which %s; then start again. Nothing is lost: learners go on"
            + " from the last checkpoint.")
        .formatted(directory, state());
  }

  private String state() {
    if (!Files.isDirectory(directory)) {
      return "is gone: mount it again, or name another folder in memory.slow-directory";
    }
    try {
      long bytes = Files.getFileStore(directory).getUsableSpace();
      String left = "has %,d MiB left: ".formatted(bytes >> 20);
      return left
          + (bytes < FEW_BYTES
              ? "make room there, or name a folder with more in memory.slow-directory"
              : "put right what the cause says, or name another folder in memory.slow-directory");
    } catch (IOException failed) {
      return "cannot be used (%s): mount it again, or name another folder in memory.slow-directory"
          .formatted(failed.getMessage());
    }
  }
}
