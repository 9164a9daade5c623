package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the folder or object store with the models. */
final class ModelsFolderOptions {
  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description = "Work directory of a run; its models are in DIR/models.")
  @Nullable Path workDirectory;

  @Option(
      names = "--models-dir",
      paramLabel = "DIR",
      description =
          "Folder of published models, or s3://BUCKET/PREFIX, as publishing.directory in the"
              + " application file.")
  @Nullable String modelsDirectory;

  /** Returns whether the user named a folder or an object store. */
  boolean named() {
    return workDirectory != null || modelsDirectory != null;
  }

  /**
   * Opens the place that the options name, for reading and writing.
   *
   * @param mustExist whether a missing folder, or an address without models, is an error
   * @param others other options that may be given instead, for the message; "" for none
   * @throws IOException if an object store cannot be read
   */
  ModelStore open(boolean mustExist, String others) throws IOException {
    String named = modelsDirectory;
    if (named != null && ModelStore.isAddress(named)) {
      return openAddress("--models-dir", named, mustExist);
    }
    return new ModelStore(folder(mustExist, others), InstantSource.system());
  }

  /**
   * Opens the object store at an address that an option names.
   *
   * @param mustHoldModels whether it is an error if there are no models; checking costs one request
   */
  static ModelStore openAddress(String option, String address, boolean mustHoldModels)
      throws IOException {
    ModelStore store;
    try {
      store = ModelStore.open(address, InstantSource.system(), PublisherIdentity.ofThisProcess());
    } catch (IOException | IllegalArgumentException refused) {
      throw new UsageException("%s: %s".formatted(option, refused.getMessage()));
    }
    boolean good = false;
    try {
      if (mustHoldModels && store.isEmpty()) {
        throw new UsageException("%s: %s".formatted(option, nothingIn(store)));
      }
      good = true;
      return store;
    } finally {
      if (!good) {
        store.close();
      }
    }
  }

  private static String nothingIn(ModelStore store) {
    return ("there are no models in %1$s: they are expected as"
            + " %1$s/APPLICATION/PARTITION/current.json; is it the right address, and has anything"
            + " been published?")
        .formatted(store.address());
  }

  /**
   * Prints a hint if the folder or object store has no models yet, because the user may have named
   * the wrong place.
   */
  static void tellIfEmpty(ModelStore store, PrintWriter err) {
    try {
      if (store.isEmpty()) {
        err.println(
            store
                .folder()
                .map("there are no models in %s yet; waiting for the first"::formatted)
                .orElseGet(() -> nothingIn(store) + " Waiting for the first"));
        err.flush();
      }
    } catch (IOException unknown) {
      err.println("it is not known yet whether there are models: " + unknown.getMessage());
      err.flush();
    }
  }

  private Path folder(boolean mustExist, String others) {
    Path work = workDirectory;
    Path root = modelsDirectory == null ? null : Path.of(modelsDirectory);
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
