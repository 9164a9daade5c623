package io.idlalayer.console;

import io.idlalayer.console.server.ConsoleServer;
import io.idlalayer.console.server.ServerSettings;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.http.BearerToken;
import io.idlalayer.middleware.models.http.HostGuard;
import io.idlalayer.middleware.models.http.SecretFile;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the address at which the console is served, and for who is allowed to use it. */
final class ServerOptions {
  private static final int USUAL_PORT = 8095;
  private static final int HIGHEST_PORT = 65_535;
  private static final int TOKEN_BYTES = 24;

  @Option(
      names = "--host",
      defaultValue = "127.0.0.1",
      description = "Address to listen on (default: ${DEFAULT-VALUE}).")
  String host;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port; 0 for a free one (default: 8095, or a free one if that is taken).")
  @Nullable Integer port;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with the token that changes need (default: a new one at each start).")
  @Nullable Path tokenFile;

  @Option(
      names = "--key-store",
      paramLabel = "FILE",
      description = "PKCS12 file with certificate and private key, for HTTPS.")
  @Nullable Path keyStore;

  @Option(
      names = "--key-store-password-file",
      paramLabel = "FILE",
      description = "File whose first line is the password of the key store.")
  @Nullable Path keyStorePasswordFile;

  @Option(
      names = "--client-certificates",
      paramLabel = "FILE",
      description =
          "PKCS12 file with the certificates that browsers must present, or with those "
              + "of their signers.")
  @Nullable Path clientCertificates;

  @Option(
      names = "--client-certificates-password-file",
      paramLabel = "FILE",
      description = "File whose first line is the password of --client-certificates.")
  @Nullable Path clientCertificatesPasswordFile;

  @Option(
      names = "--allowed-host",
      paramLabel = "NAME",
      description = "Name by which browsers reach the server, beside its addresses; repeatable.")
  @Nullable Set<String> allowedHosts;

  @Option(
      names = "--insecure",
      description = "Serve plain HTTP on an address that other machines reach.")
  boolean insecure;

  private @Nullable String token;

  /** Returns the token that a client must send to change something. */
  String token() {
    String known = token;
    if (known == null) {
      known = tokenFile == null ? random() : read(tokenFile);
      token = known;
    }
    return known;
  }

  private static String random() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static String read(Path file) {
    try {
      return BearerToken.read(file);
    } catch (NoSuchFileException missing) {
      throw new UsageException("--token-file: there is no file " + file);
    } catch (IOException refused) {
      throw new UsageException("--token-file: " + refused.getMessage());
    }
  }

  /**
   * Starts the console's server on the named port or, if none is named, on the default port or a
   * free port.
   */
  ConsoleServer start(ConsoleServer.Content content, InstantSource clock) throws IOException {
    Integer named = port;
    if (named != null) {
      if (named < 0 || named > HIGHEST_PORT) {
        throw new UsageException("--port must be 0 to %d, not %d".formatted(HIGHEST_PORT, named));
      }
      return ConsoleServer.start(settings(named), content, clock);
    }
    try {
      return ConsoleServer.start(settings(USUAL_PORT), content, clock);
    } catch (BindException taken) {
      return ConsoleServer.start(settings(0), content, clock);
    }
  }

  private ServerSettings settings(int at) {
    try {
      return new ServerSettings(
          new InetSocketAddress(host, at), token(), tls(), insecure, allowedHosts());
    } catch (IllegalArgumentException refused) {
      throw new UsageException("--host: " + refused.getMessage());
    }
  }

  /** Returns the host names that clients are allowed to use in the server's address. */
  Set<String> allowedHosts() {
    if (allowedHosts == null) {
      return Set.of();
    }
    try {
      allowedHosts.forEach(HostGuard::checkedName);
      return allowedHosts;
    } catch (IllegalArgumentException refused) {
      throw new UsageException("--allowed-host: " + refused.getMessage());
    }
  }

  private ServerSettings.@Nullable Tls tls() {
    Path keys = keyStore;
    if (keys == null) {
      if (keyStorePasswordFile != null
          || clientCertificates != null
          || clientCertificatesPasswordFile != null) {
        throw new UsageException(
            "--key-store-password-file, --client-certificates and"
                + " --client-certificates-password-file need --key-store FILE");
      }
      return null;
    }
    if (insecure) {
      throw new UsageException(
          "--insecure means plain HTTP; give either --insecure or --key-store FILE");
    }
    Path clients = clientCertificates;
    if (clients == null && clientCertificatesPasswordFile != null) {
      throw new UsageException(
          "--client-certificates-password-file needs --client-certificates FILE; without it"
              + " browsers need no certificate");
    }
    return new ServerSettings.Tls(
        existing("--key-store", keys),
        password("--key-store-password-file", keyStorePasswordFile),
        clients == null ? null : existing("--client-certificates", clients),
        clients == null
            ? ""
            : password("--client-certificates-password-file", clientCertificatesPasswordFile));
  }

  private static Path existing(String option, Path file) {
    if (!Files.exists(file)) {
      throw new UsageException("%s: there is no file %s".formatted(option, file));
    }
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new UsageException(
          "%s: %s is not a file that this user can read".formatted(option, file));
    }
    return file.toAbsolutePath();
  }

  private static String password(String option, @Nullable Path file) {
    if (file == null) {
      throw new UsageException(option + " FILE is missing");
    }
    try {
      return SecretFile.firstLine(file);
    } catch (NoSuchFileException missing) {
      throw new UsageException("%s: there is no file %s".formatted(option, file));
    } catch (IOException refused) {
      throw new UsageException("%s: %s".formatted(option, refused.getMessage()));
    }
  }
}
