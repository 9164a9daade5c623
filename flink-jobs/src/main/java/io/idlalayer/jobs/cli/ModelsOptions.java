package io.idlalayer.jobs.cli;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where models are. */
final class ModelsOptions {
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

  /** The store the options name. */
  ModelStore store(boolean mustExist) {
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
      throw new UsageException("name the folder of the models: --work-dir DIR or --models-dir DIR");
    }
    if (mustExist && !Files.isDirectory(root)) {
      throw new UsageException("there is no folder " + root + ": has anything been published?");
    }
    return new ModelStore(root, InstantSource.system());
  }

  /** A version, or the current one for 0. */
  static ModelCheckpoint find(ModelStore store, String application, int partition, long version)
      throws IOException {
    if (version > 0) {
      return store.read(application, partition, version);
    }
    Optional<ModelCheckpoint> current = store.current(application, partition);
    return current.orElseThrow(
        () ->
            new IOException(
                "%s has published no model in %s".formatted(application, store.root())));
  }
}
