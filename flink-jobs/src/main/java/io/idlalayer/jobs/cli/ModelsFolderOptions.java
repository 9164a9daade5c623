package io.idlalayer.jobs.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The folder that models are in. */
final class ModelsFolderOptions {
  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description = "Work directory of a run; its models are in DIR/models.")
  @Nullable Path workDirectory;

  @Option(
      names = "--models-dir",
      paramLabel = "DIR",
      description = "Folder of published models, as publishing.directory in the application file.")
  @Nullable Path modelsDirectory;

  /** Whether one is named. */
  boolean named() {
    return workDirectory != null || modelsDirectory != null;
  }

  /**
   * The folder that the options name.
   *
   * @param others what may be named instead, for the message; "" for nothing
   */
  Path root(boolean mustExist, String others) {
    Path models = modelsDirectory;
    Path work = workDirectory;
    Path root = models;
    if (root == null && work != null) {
      root = work.resolve("models");
    }
    if (work != null) {
      LogFile.in(work, "models.log");
    }
    if (root == null) {
      throw new UsageException(
          "name the folder of the models: --work-dir DIR or --models-dir DIR"
              + (others.isEmpty() ? "" : "; or " + others));
    }
    if (mustExist && !Files.isDirectory(root)) {
      throw new UsageException("there is no folder " + root + ": has anything been published?");
    }
    return root;
  }
}
