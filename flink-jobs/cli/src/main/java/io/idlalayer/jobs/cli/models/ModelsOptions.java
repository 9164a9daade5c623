package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.http.BearerToken;
import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.storage.cache.VersionCacheSettings;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for the place of the models: a folder, an object store, or a server. */
final class ModelsOptions {
  @Mixin ModelsFolderOptions folder;

  @Option(
      names = "--store",
      paramLabel = "URL",
      description =
          "Address of the models that `idla models serve` printed, or s3://BUCKET/PREFIX, instead of"
              + " a folder.")
  @Nullable String store;

  @Option(
      names = "--store-token-file",
      paramLabel = "FILE",
      description = "File with the token that the server of --store wants.")
  @Nullable Path storeTokenFile;

  /** The place of the models, open for reading; close it after use. */
  static final class OpenModels implements AutoCloseable {
    /**
     * Default time between two checks for new versions in a folder or on a server, which cost
     * almost nothing.
     */
    private static final Duration OFTEN = Duration.ofMillis(200);

    /**
     * Default time between two checks for new versions in an object store, which charges for each
     * read.
     */
    private static final Duration SELDOM = Duration.ofSeconds(2);

    private final ModelReader reader;
    private final @Nullable HttpModelSource http;
    private final @Nullable ModelStore store;

    private OpenModels(HttpModelSource http, CacheOptions cache) {
      reader = new ModelReader(cache.through(http, VersionCacheSettings.USUAL_WAIT));
      this.http = http;
      store = null;
    }

    private OpenModels(ModelStore store, CacheOptions cache) {
      reader = new ModelReader(cache.through(store.source(), VersionCacheSettings.USUAL_WAIT));
      http = null;
      this.store = store;
    }

    ModelReader reader() {
      return reader;
    }

    /** Returns whether the models are read over a network. */
    boolean remote() {
      return store == null || store.folder().isEmpty();
    }

    /** Returns the default time between two checks for new versions. */
    Duration poll() {
      return store != null && store.folder().isEmpty() ? SELDOM : OFTEN;
    }

    /** Prints a hint if the folder or object store has no models yet. */
    void tellIfEmpty(PrintWriter err) {
      if (store != null) {
        ModelsFolderOptions.tellIfEmpty(store, err);
      }
    }

    @Override
    public void close() {
      if (http != null) {
        http.close();
      }
      if (store != null) {
        store.close();
      }
    }
  }

  /**
   * Opens the folder, object store or server that the options name.
   *
   * @param mustExist whether a missing folder, or an object store without models, is an error
   * @throws UsageException if they name no place, or two
   * @throws IOException if an object store cannot be read
   */
  OpenModels open(boolean mustExist) throws IOException {
    return open(mustExist, new CacheOptions());
  }

  /**
   * Opens the folder, object store or server that the options name, for a command that loads models
   * through a cache. A command that looks for damage must not use a cache.
   *
   * @param mustExist whether a missing folder, or an object store without models, is an error
   * @throws UsageException if they name no place, or two
   * @throws IOException if an object store cannot be read
   */
  OpenModels open(boolean mustExist, CacheOptions cache) throws IOException {
    cache.check();
    String url = store;
    if (url == null) {
      if (storeTokenFile != null) {
        throw new UsageException("--store-token-file needs --store URL");
      }
      return new OpenModels(folder.open(mustExist, "--store URL"), cache);
    }
    if (folder.named()) {
      throw new UsageException(
          "name one place of the models: either --store URL, or --work-dir or --models-dir DIR");
    }
    if (url.toLowerCase(Locale.ROOT).startsWith("s3://")) {
      if (storeTokenFile != null) {
        throw new UsageException(
            "--store-token-file is for servers; an object store takes credentials from the environment");
      }
      return new OpenModels(ModelsFolderOptions.openAddress("--store", url, mustExist), cache);
    }
    return new OpenModels(new HttpModelSource(settings(url)), cache);
  }

  private HttpModelSettings settings(String url) {
    String token = storeTokenFile == null ? null : token("--store-token-file", storeTokenFile);
    try {
      return HttpModelSettings.of(new URI(url), token);
    } catch (URISyntaxException refused) {
      // The message would repeat the address, which might have a password.
      throw new UsageException(
          "--store: this is not an address: %s at character %d"
              .formatted(refused.getReason(), refused.getIndex() + 1));
    } catch (IllegalArgumentException refused) {
      // A text with a colon might have a user and a password.
      throw new UsageException(
          url.contains(":")
              ? "--store: " + refused.getMessage()
              : "--store: '%s' is no address: a folder of models is named with --models-dir"
                  .formatted(url));
    }
  }

  /** Returns the token for a server, from the file that an option names. */
  static String token(String option, Path file) {
    try {
      return BearerToken.read(file);
    } catch (NoSuchFileException missing) {
      throw new UsageException("%s: there is no file %s".formatted(option, file));
    } catch (IOException refused) {
      throw new UsageException("%s: %s".formatted(option, refused.getMessage()));
    }
  }

  /** Returns the partition of an application; refuses an invalid name or number. */
  static ApplicationPartition partition(String application, int partition) {
    try {
      return new ApplicationPartition(application, partition);
    } catch (IllegalArgumentException refused) {
      throw new UsageException(String.valueOf(refused.getMessage()));
    }
  }

  /** Returns a model version by its number; for 0, the version that is to be served. */
  static ModelCheckpoint find(ModelReader models, String application, int partition, long version)
      throws IOException {
    ApplicationPartition of = partition(application, partition);
    if (version > 0) {
      return models.read(of.application(), of.partition(), version);
    }
    Optional<ModelCheckpoint> serving =
        models.serving(of.application(), of.partition()).map(ModelReader.Serving::checkpoint);
    return serving.orElseThrow(
        () ->
            new IOException(
                "%s has published no model in %s".formatted(application, models.address())));
  }
}
