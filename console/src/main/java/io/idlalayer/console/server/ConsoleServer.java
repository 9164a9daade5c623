package io.idlalayer.console.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.console.history.Learners;
import io.idlalayer.console.subscribers.ReportedSubscribers;
import io.idlalayer.console.topics.EventFollower;
import io.idlalayer.console.whatif.KeptPlans;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the page and its data. Safe from any thread. */
public final class ConsoleServer implements AutoCloseable {
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
  private static final Logger LOG = LoggerFactory.getLogger(ConsoleServer.class);
  private static final int THREADS = 48;
  private static final int LISTENING_PAGES = 24;
  private static final int CONNECTIONS = 128;
  private static final int HEADER_BYTES = 8 << 10;
  private static final long BODY_BYTES = 512 << 10;
  private static final int IDLE_MILLIS = 30_000;
  private static final int BACKLOG = 64;

  private final Javalin javalin;
  private final EventBroadcast broadcast;
  private final URI address;

  private ConsoleServer(Javalin javalin, EventBroadcast broadcast, URI address) {
    this.javalin = javalin;
    this.broadcast = broadcast;
    this.address = address;
  }

  /**
   * The content of the server's answers.
   *
   * @param console supplies the facts about the console for each answer
   * @param subscribers returns the subscribers that report to serve an application partition
   * @param plans the capacity plans of the applications
   */
  public record Content(
      Supplier<ConsoleInfo> console,
      Learners learners,
      ConsoleData data,
      Function<ApplicationPartition, ReportedSubscribers> subscribers,
      KeptPlans plans) {}

  /**
   * Returns the listener that sends events to the pages; the caller passes it to the {@link
   * EventFollower}.
   */
  public EventFollower.Listener listener() {
    return broadcast;
  }

  /** Returns the address of the page. */
  public URI address() {
    return address;
  }

  /**
   * Starts a server.
   *
   * @throws BindException if the port is in use
   * @throws IOException if the server cannot listen on the address, or the certificates cannot be
   *     read
   */
  public static ConsoleServer start(ServerSettings settings, Content content, InstantSource clock)
      throws IOException {
    return start(settings, content, clock, ReadRoutes.Budgets.ofThisMachine());
  }

  /** Starts a server with other budgets. */
  static ConsoleServer start(
      ServerSettings settings, Content content, InstantSource clock, ReadRoutes.Budgets budgets)
      throws IOException {
    ObjectMapper json = ConsoleJson.mapper();
    EventBroadcast broadcast = new EventBroadcast(LISTENING_PAGES, clock);
    RequestGuard guard = new RequestGuard(settings);
    ReadRoutes reads = new ReadRoutes(json, content, broadcast, budgets);
    WriteRoutes writes = new WriteRoutes(json, content.data());
    Javalin javalin =
        Javalin.create(
            config -> {
              limits(config, settings);
              config.routes.before(guard::check);
              reads.add(config.routes);
              writes.add(config.routes);
              errors(config, json);
            });
    try {
      javalin.start();
    } catch (RuntimeException failed) {
      javalin.stop();
      throw explained(settings.bind(), failed);
    }
    return new ConsoleServer(javalin, broadcast, address(settings, javalin.port()));
  }

  private static void limits(JavalinConfig config, ServerSettings settings) {
    config.startup.showJavalinBanner = false;
    config.startup.startupWatcherEnabled = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.http.maxRequestSize = BODY_BYTES;
    config.http.compressionStrategy = CompressionStrategy.GZIP;
    QueuedThreadPool threads = new QueuedThreadPool(THREADS);
    threads.setName("console");
    threads.setDaemon(true);
    config.jetty.threadPool = threads;
    config.jetty.modifyServer(
        server -> server.addBean(new NetworkConnectionLimit(CONNECTIONS, server)));
    config.jetty.addConnector((server, http) -> connector(server, http, settings));
  }

  private static ServerConnector connector(
      Server server, HttpConfiguration http, ServerSettings settings) {
    http.setRequestHeaderSize(HEADER_BYTES);
    http.setSendServerVersion(false);
    http.setIdleTimeout(IDLE_MILLIS);
    http.addCustomizer(ConsoleServer::checkMethod);
    ServerSettings.Tls tls = settings.tls();
    ServerConnector connector;
    if (tls == null) {
      connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    } else {
      http.addCustomizer(new SecureRequestCustomizer(false));
      connector =
          new ServerConnector(
              server,
              1,
              1,
              new SslConnectionFactory(certificates(tls), "http/1.1"),
              new HttpConnectionFactory(http));
    }
    connector.setHost(settings.bind().getHostString());
    connector.setPort(settings.bind().getPort());
    connector.setIdleTimeout(IDLE_MILLIS);
    connector.setAcceptQueueSize(BACKLOG);
    return connector;
  }

  /**
   * Refuses methods that HTTP does not have, such as get in lower case, before Javalin looks for
   * them.
   */
  private static Request checkMethod(Request request, HttpFields.Mutable answer) {
    if (!METHODS.contains(request.getMethod())) {
      throw new HttpException.RuntimeException(
          HttpStatus.METHOD_NOT_ALLOWED_405, "the console does not support this method");
    }
    return request;
  }

  private static SslContextFactory.Server certificates(ServerSettings.Tls tls) {
    SslContextFactory.Server factory = new SslContextFactory.Server();
    factory.setKeyStorePath(tls.keyStore().toUri().toString());
    factory.setKeyStoreType("PKCS12");
    factory.setKeyStorePassword(tls.keyStorePassword());
    if (tls.clients() != null) {
      factory.setTrustStorePath(tls.clients().toUri().toString());
      factory.setTrustStoreType("PKCS12");
      factory.setTrustStorePassword(tls.clientsPassword());
      factory.setNeedClientAuth(true);
    }
    return factory;
  }

  private static void errors(JavalinConfig config, ObjectMapper json) {
    config.routes.exception(
        RefusedException.class,
        (refused, request) -> {
          if (refused.retrySeconds() > 0) {
            request.header("Retry-After", Long.toString(refused.retrySeconds()));
          }
          answer(request, json, refused.status(), refused.getMessage());
        });
    config.routes.exception(
        HttpResponseException.class,
        (refused, request) -> answer(request, json, refused.getStatus(), refused.getMessage()));
    config.routes.exception(
        IOException.class, (failed, request) -> answer(request, json, 502, failed.getMessage()));
    config.routes.exception(
        Exception.class,
        (failed, request) -> {
          LOG.error("{} {} failed", request.method(), request.path(), failed);
          answer(request, json, 500, "the request failed; the console's log says why");
        });
  }

  private static void answer(Context request, ObjectMapper json, int status, @Nullable String why) {
    if (request.res().isCommitted()) {
      // The page has closed this stream.
      return;
    }
    try {
      request.status(status);
      request.contentType("application/json");
      request.result(json.writeValueAsBytes(new Refusal(String.valueOf(why))));
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static IOException explained(InetSocketAddress bind, RuntimeException failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        BindException taken =
            new BindException(
                String.format(
                    Locale.ROOT,
                    "port %d of %s is taken; name another one with --port",
                    bind.getPort(),
                    bind.getHostString()));
        taken.initCause(failed);
        return taken;
      }
    }
    Throwable root = failed;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new IOException("the console cannot be served: " + root.getMessage(), failed);
  }

  private static URI address(ServerSettings settings, int port) {
    String host = settings.bind().getHostString();
    return URI.create(
        String.format(
            Locale.ROOT,
            "%s://%s:%d/",
            settings.tls() == null ? "http" : "https",
            host.contains(":") ? "[" + host + "]" : host,
            port));
  }

  @Override
  public void close() {
    broadcast.close();
    javalin.stop();
  }
}
