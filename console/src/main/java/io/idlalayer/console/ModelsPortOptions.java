package io.idlalayer.console;

import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.http.BearerToken;
import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.http.ServerKeys;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options by which the console also serves the files of the models, on a separate port, because
 * readers of models are not browsers, and have another token than users who change something.
 */
final class ModelsPortOptions {
  private static final int HIGHEST_PORT = 65_535;

  @Option(
      names = "--models-port",
      paramLabel = "N",
      description =
          "Serve the files of the models as `idla models serve` does, on this port of the same"
              + " address; 0 for a free one.")
  @Nullable Integer port;

  @Option(
      names = "--models-token-file",
      paramLabel = "FILE",
      description = "With --models-port: file with the token that readers of models need.")
  @Nullable Path tokenFile;

  /**
   * Starts a server for the files of published models, if the options ask for it.
   *
   * @param models folder or address of an object store; null if the user names none
   * @param server address and keys of the console
   * @return the server; null if the options do not ask for it
   */
  @Nullable ModelServer start(@Nullable String models, ServerOptions server) throws IOException {
    Integer named = port;
    if (named == null) {
      if (tokenFile != null) {
        throw new UsageException("--models-token-file needs --models-port N");
      }
      return null;
    }
    if (named < 0 || named > HIGHEST_PORT) {
      throw new UsageException(
          "--models-port must be 0 to %d, not %d".formatted(HIGHEST_PORT, named));
    }
    if (models == null) {
      throw new UsageException(
          "--models-port needs the folder: --work-dir DIR or --models-dir DIR");
    }
    if (ModelStore.isAddress(models)) {
      throw new UsageException(
          "--models-port serves a folder; readers of models can read %s directly"
              .formatted(models));
    }
    return ModelServer.start(ModelStore.confined(Path.of(models)), settings(named, server));
  }

  private ModelServerSettings settings(int at, ServerOptions server) throws IOException {
    try {
      return ModelServerSettings.of(
              new InetSocketAddress(server.host, at), token(), false, tls(server))
          .allowing(server.allowedHosts());
    } catch (IllegalArgumentException refused) {
      throw new UsageException(
          "--models-port: "
              + String.valueOf(refused.getMessage())
                  .replace(
                      " (--token-file FILE), or say that this is meant (--insecure)",
                      " (--models-token-file FILE)"));
    }
  }

  private @Nullable String token() {
    Path file = tokenFile;
    if (file == null) {
      return null;
    }
    try {
      return BearerToken.read(file);
    } catch (NoSuchFileException missing) {
      throw new UsageException("--models-token-file: there is no file " + file);
    } catch (IOException refused) {
      throw new UsageException("--models-token-file: " + refused.getMessage());
    }
  }

  private static @Nullable SSLContext tls(ServerOptions server) throws IOException {
    Path keys = server.keyStore;
    Path password = server.keyStorePasswordFile;
    return keys == null || password == null ? null : ServerKeys.read(keys, password);
  }
}
