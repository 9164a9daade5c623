package io.idlalayer.jobs.cli.models;

import io.idlalayer.inferencegrpc.GrpcInferenceServer;
import io.idlalayer.jobs.terminal.StopSignals;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.http.ServerKeys;
import io.idlalayer.middleware.models.http.SharedLooks;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.text.Shown;
import io.idlalayer.modelloader.serve.PlainOrDl4jLoader;
import io.idlalayer.modelruntime.inference.InferenceServer;
import io.idlalayer.modelruntime.inference.ServedModel;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Serves the files of published models, or predictions, over HTTP. */
@Command(
    name = "serve",
    description = {
      "Serves a folder (or an object store) of published models over HTTP, read-only, until"
          + " Ctrl-C. Prints the address,"
          + " which the other models commands take as --store URL.",
      "With --predict, answers predictions instead, by version 2 of the Open "
          + "Inference Protocol. Answers come from the version that serves; it is looked "
          + "up five times a second. With --bootstrap-servers, also reports on the "
          + "subscribers topic of each application which version it serves; it does not "
          + "listen for notices.",
      "Listens on the loopback address. For another one, give a token and, as the token can be"
          + " read on the way otherwise, a key store."
    })
final class ModelsServe implements Callable<Integer> {
  private static final long LOOK_NANOS = 50_000_000;

  private static final int HIGHEST_PORT = 65_535;

  /** Logger of the library, which tells details on standard error otherwise. */
  private static final Logger GRPC_LOGGER = Logger.getLogger("io.grpc");

  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;
  @Mixin StalenessOptions staleness;
  @Mixin KafkaOptions kafka;
  @Mixin HeartbeatOptions heartbeats;
  @Mixin RowsOptions rows;
  @Mixin CacheOptions cache;

  @Option(
      names = "--predict",
      paramLabel = "APPLICATION[/PARTITION][@ALIAS]",
      description = {
        "Answer predictions of this application instead of serving files; may be given several"
            + " times.",
        "With @ALIAS the version that has this name answers, as the model APPLICATION.ALIAS."
      })
  List<String> predicted = List.of();

  @Option(
      names = "--alias",
      paramLabel = "NAME",
      description =
          "With --predict: the version that has this name serves, where no other is named.")
  @Nullable String alias;

  @Option(
      names = "--host",
      description = "Address to listen on (default: ${DEFAULT-VALUE}).",
      defaultValue = "127.0.0.1")
  String host;

  @Option(names = "--port", description = "Port to listen on (default: 0, a free one).")
  int port;

  @Option(
      names = "--grpc-port",
      paramLabel = "PORT",
      description = {
        "With --predict: answer over gRPC too, on this port (0: a free one). Address, token and",
        "TLS are those of HTTP."
      })
  @Nullable Integer grpcPort;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "File with the bearer token that each request must have; `openssl rand -hex 32`"
              + " makes one.")
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
      names = "--allowed-host",
      paramLabel = "NAME",
      description =
          "Without a token: name by which clients reach the server, beside its addresses;"
              + " repeatable.")
  @Nullable Set<String> allowedHosts;

  @Option(
      names = "--insecure",
      description = "Let every client that reaches --host use the models, without a token.")
  boolean insecure;

  @Override
  public Integer call() throws IOException {
    if (predicted.isEmpty()) {
      serveFiles();
    } else {
      servePredictions();
    }
    PrintWriter out = spec.commandLine().getOut();
    cache.summary().ifPresent(out::println);
    out.println("stopped");
    out.flush();
    return Terminal.OK;
  }

  private void serveFiles() throws IOException {
    if (alias != null
        || options.store != null
        || options.storeTokenFile != null
        || staleness.given()
        || rows.given()) {
      throw new UsageException(
          "--alias, --store, --store-token-file, --max-staleness and --rows-folder need --predict"
              + " APPLICATION");
    }
    if (grpcPort != null) {
      throw new UsageException("--grpc-port needs --predict APPLICATION");
    }
    if (kafka.given() || heartbeats.given()) {
      throw new UsageException(
          "--bootstrap-servers, --kafka-properties, --subscribers-topic and --name need --predict"
              + " APPLICATION");
    }
    cache.check();
    ModelServerSettings settings = settings();
    try (StopSignals stop = new StopSignals();
        ModelStore models = options.folder.open(false, "");
        ModelServer server =
            ModelServer.start(
                cache.through(
                    models.folder().map(ModelStore::confined).orElseGet(() -> shared(models)),
                    // A waiting request would occupy a thread and a transfer of the server.
                    Duration.ZERO),
                settings)) {
      ModelsFolderOptions.tellIfEmpty(models, spec.commandLine().getErr());
      untilStopped(
          stop,
          "serving the models in %s at %s".formatted(models.address(), server.address()),
          () -> {});
    }
  }

  /**
   * Returns a source of models that shares reads of an object store between clients, because reads
   * cost money and time.
   */
  private static ModelSource shared(ModelStore models) {
    return new SharedLooks(models.source(), SharedLooks.USUAL_AGE, System::nanoTime);
  }

  private void servePredictions() throws IOException {
    PredictedModels models = PredictedModels.of(predicted, alias);
    ModelServerSettings settings = settings();
    Map<String, Object> properties = kafka.clientProperties();
    SubscriberIdentity identity = heartbeats.identity(properties != null);
    ModelSubscriber.StalenessLimit limit = staleness.limit();
    PlainOrDl4jLoader loader = rows.loader();
    PrintWriter err = spec.commandLine().getErr();
    try (StopSignals stop = new StopSignals();
        ModelsOptions.OpenModels open = options.open(false, cache);
        PredictedModels.Followed followed =
            models.follow(
                open.reader(),
                open.poll(),
                limit,
                loader,
                refusal -> {
                  err.println("refused: " + Shown.escaped(refusal));
                  err.flush();
                });
        HeartbeatOptions.Reporters reporters =
            heartbeats.report(
                properties,
                identity,
                followed.models().stream().map(ServedModel::subscriber).toList());
        InferenceServer server =
            InferenceServer.start(followed.models(), settings, InstantSource.system());
        GrpcInferenceServer grpc = grpc(followed.models(), settings)) {
      open.tellIfEmpty(err);
      untilStopped(
          stop,
          "answering predictions of %s with the models in %s at %s"
                  .formatted(models, open.reader().address(), server.address())
              + (grpc == null ? "" : "%nanswering over gRPC at %s".formatted(grpc.address())),
          () -> reporters.tell(err));
    }
  }

  /** Starts the server of gRPC if one is wanted. */
  private @Nullable GrpcInferenceServer grpc(List<ServedModel> models, ModelServerSettings settings)
      throws IOException {
    if (grpcPort == null) {
      return null;
    }
    GRPC_LOGGER.setLevel(Level.WARNING);
    return GrpcInferenceServer.start(models, settings.at(grpcPort), InstantSource.system());
  }

  private void untilStopped(StopSignals stop, String beginning, Runnable look) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(beginning);
    out.flush();
    while (!stop.received() && !Thread.currentThread().isInterrupted()) {
      look.run();
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private ModelServerSettings settings() {
    checkPort("--port", port);
    if (grpcPort != null) {
      checkPort("--grpc-port", grpcPort);
      if (port != 0 && grpcPort == port) {
        throw new UsageException("--port and --grpc-port must differ");
      }
    }
    if (insecure && tokenFile != null) {
      throw new UsageException(
          "--insecure means without a token; give either --insecure or --token-file");
    }
    String token = tokenFile == null ? null : ModelsOptions.token("--token-file", tokenFile);
    ModelServerSettings settings;
    try {
      settings = ModelServerSettings.of(new InetSocketAddress(host, port), token, insecure, tls());
    } catch (IllegalArgumentException refused) {
      throw new UsageException("--host: " + refused.getMessage());
    }
    return allowing(settings);
  }

  private static void checkPort(String option, int port) {
    if (port < 0 || port > HIGHEST_PORT) {
      throw new UsageException("%s must be 0 to %d, not %d".formatted(option, HIGHEST_PORT, port));
    }
  }

  private ModelServerSettings allowing(ModelServerSettings settings) {
    if (allowedHosts == null) {
      return settings;
    }
    if (tokenFile != null) {
      throw new UsageException(
          "with --token-file clients may call the server by any name; leave --allowed-host out");
    }
    try {
      return settings.allowing(allowedHosts);
    } catch (IllegalArgumentException refused) {
      throw new UsageException("--allowed-host: " + refused.getMessage());
    }
  }

  private @Nullable SSLContext tls() {
    Path keys = keyStore;
    Path password = keyStorePasswordFile;
    if (keys == null && password == null) {
      return null;
    }
    if (keys == null || password == null) {
      throw new UsageException("--key-store and --key-store-password-file go together");
    }
    try {
      return ServerKeys.read(keys, password);
    } catch (NoSuchFileException missing) {
      throw new UsageException("there is no file " + missing.getMessage());
    } catch (IOException refused) {
      throw new UsageException("--key-store: " + refused.getMessage());
    }
  }
}
