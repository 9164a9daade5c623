package io.idlalayer.jobs.cli;

import io.idlalayer.middleware.models.http.BearerToken;
import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.store.ApplicationPartition;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where models are read from: a folder, or a server. */
final class ModelsOptions {
  @Mixin ModelsFolderOptions folder;

  @Option(
      names = "--store",
      paramLabel = "URL",
      description = "Address of the models that `idla models serve` printed, instead of a folder.")
  @Nullable String store;

  @Option(
      names = "--store-token-file",
      paramLabel = "FILE",
      description = "File with the token that the server of --store wants.")
  @Nullable Path storeTokenFile;

  /** Models that are open; close it when they have been read. */
  static final class OpenModels implements AutoCloseable {
    private final ModelReader reader;
    private final @Nullable HttpModelSource http;

    private OpenModels(ModelReader reader, @Nullable HttpModelSource http) {
      this.reader = reader;
      this.http = http;
    }

    ModelReader reader() {
      return reader;
    }

    /** Whether reading means fetching. */
    boolean remote() {
      return http != null;
    }

    @Override
    public void close() {
      if (http != null) {
        http.close();
      }
    }
  }

  /**
   * Opens what the options name.
   *
   * @param mustExist whether a folder that is not there is a mistake
   * @throws UsageException if they name nothing, or two places
   */
  OpenModels open(boolean mustExist) {
    String url = store;
    if (url == null) {
      if (storeTokenFile != null) {
        throw new UsageException("--store-token-file needs --store URL");
      }
      return new OpenModels(
          new ModelStore(folder.root(mustExist, "--store URL"), InstantSource.system()), null);
    }
    if (folder.named()) {
      throw new UsageException(
          "name one place of the models: either --store URL, or --work-dir or --models-dir DIR");
    }
    HttpModelSource source = new HttpModelSource(settings(url));
    return new OpenModels(new ModelReader(source), source);
  }

  private HttpModelSettings settings(String url) {
    String token = storeTokenFile == null ? null : token("--store-token-file", storeTokenFile);
    try {
      return HttpModelSettings.of(new URI(url), token);
    } catch (URISyntaxException refused) {
      // The message would repeat the address, which may have a password.
      throw new UsageException(
          "--store: this is no address: %s at character %d"
              .formatted(refused.getReason(), refused.getIndex() + 1));
    } catch (IllegalArgumentException refused) {
      throw new UsageException("--store: " + refused.getMessage());
    }
  }

  /** Reads the token that an option names. */
  static String token(String option, Path file) {
    try {
      return BearerToken.read(file);
    } catch (NoSuchFileException missing) {
      throw new UsageException("%s: there is no file %s".formatted(option, file));
    } catch (IOException refused) {
      throw new UsageException("%s: %s".formatted(option, refused.getMessage()));
    }
  }

  /** Refuses what can be no application and partition. */
  static ApplicationPartition partition(String application, int partition) {
    try {
      return new ApplicationPartition(application, partition);
    } catch (IllegalArgumentException refused) {
      throw new UsageException(String.valueOf(refused.getMessage()));
    }
  }

  /** A version, or the one that is to be served for 0. */
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
