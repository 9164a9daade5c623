package io.idlalayer.middleware.models.http;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.idlalayer.middleware.models.store.ModelSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Serves published models over HTTP, read-only:
 *
 * <pre>{@code
 * var bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 8090);
 * try (ModelServer server = ModelServer.start(
 *     ModelStore.confined(Path.of("idla-work/electricity/models")),
 *     ModelServerSettings.of(bind, null, false, null))) {
 *   System.out.println(server.address());
 *   ...
 * }
 * }</pre>
 *
 * <p>It holds no lock that a publisher could wait for, and only reads. Threads, files that are sent
 * at a time and waiting requests are bounded; a client that is too slow is cut off. The number of
 * connections is bounded by {@code jdk.httpserver.maxConnections}, and Nagle's algorithm is
 * switched off by {@code sun.net.httpserver.nodelay}: system properties that the JDK reads once for
 * all its servers. {@link #start} sets them if they are not set; they have no effect if a server of
 * the JDK was made in the process before.
 */
public final class ModelServer implements AutoCloseable {
  /** Of every answer; tells a client that this is a server of models. */
  static final String FORMAT_HEADER = "Idla-Models-Format";

  /**
   * Of each answer with a pointer: the entity tag of the pin beside it, or {@link #NO_PIN}. Always
   * sent, so that a cache does not keep that of a pin that is gone.
   */
  static final String PIN_HEADER = "Idla-Pin";

  static final String NO_PIN = "none";

  /** Files are sent in parts of so many bytes. */
  static final int PART_BYTES = 64 << 10;

  /** Beside the transfers, for answers that are short. */
  private static final int SHORT_ANSWERS = 4;

  private static final Duration LONGEST_EXCHANGE = Duration.ofHours(1);
  private static final int STOP_SECONDS = 1;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final HttpServer server;
  private final Workers workers;
  private final SlowClients slowClients;
  private final boolean tls;

  private ModelServer(HttpServer server, Workers workers, SlowClients slowClients, boolean tls) {
    this.server = server;
    this.workers = workers;
    this.slowClients = slowClients;
    this.tls = tls;
  }

  /**
   * Starts to serve.
   *
   * @param source as {@link io.idlalayer.middleware.models.store.ModelStore#confined} returns it
   * @throws IOException if the address is taken or not of this machine
   */
  public static ModelServer start(ModelSource source, ModelServerSettings settings)
      throws IOException {
    setIfAbsent("jdk.httpserver.maxConnections", Integer.toString(settings.connections()));
    setIfAbsent("sun.net.httpserver.nodelay", "true");
    HttpServer http = create(settings);
    int number = NUMBER.incrementAndGet();
    SlowClients slow = new SlowClients(settings.patience(), LONGEST_EXCHANGE);
    Workers workers = new Workers(number, settings, slow);
    http.setExecutor(workers);
    http.createContext("/", new ModelHandler(source, settings, workers::busy, slow::progress));
    Thread watch = new Thread(slow, "models-server-%d-watch".formatted(number));
    watch.setDaemon(true);
    watch.start();
    http.start();
    return new ModelServer(http, workers, slow, settings.tls() != null);
  }

  private static void setIfAbsent(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  private static HttpServer create(ModelServerSettings settings) throws IOException {
    InetSocketAddress bind = settings.bind();
    try {
      if (settings.tls() == null) {
        return HttpServer.create(bind, 0);
      }
      HttpsServer https = HttpsServer.create(bind, 0);
      https.setHttpsConfigurator(new HttpsConfigurator(settings.tls()));
      return https;
    } catch (IOException refused) {
      throw new IOException(
          "cannot listen on %s port %d: %s"
              .formatted(bind.getHostString(), bind.getPort(), refused.getMessage()),
          refused);
    }
  }

  /** Threads that answer. */
  private static final class Workers extends ThreadPoolExecutor {
    private final SlowClients slowClients;
    private final int most;

    Workers(int number, ModelServerSettings settings, SlowClients slowClients) {
      super(
          settings.transfers() + SHORT_ANSWERS,
          settings.transfers() + SHORT_ANSWERS,
          1,
          TimeUnit.MINUTES,
          // One request of each connection waits, so this is full only without their limit. The
          // JDK closes a connection then.
          new ArrayBlockingQueue<>(settings.connections()),
          task -> {
            Thread thread = new Thread(task, "models-server-" + number);
            thread.setDaemon(true);
            return thread;
          });
      allowCoreThreadTimeOut(true);
      this.slowClients = slowClients;
      most = settings.connections() / 2;
    }

    /** Whether so many requests wait that new ones are better sent away. */
    boolean busy() {
      return getQueue().size() > most;
    }

    @Override
    protected void beforeExecute(Thread thread, Runnable task) {
      slowClients.begin();
    }

    @Override
    protected void afterExecute(
        Runnable task, @org.jspecify.annotations.Nullable Throwable failed) {
      slowClients.end();
    }
  }

  /** Where the models are, with the port that was taken. */
  public URI address() {
    InetSocketAddress bound = server.getAddress();
    String host = bound.getAddress().getHostAddress();
    return URI.create(
        "%s://%s:%d%s"
            .formatted(
                tls ? "https" : "http",
                host.contains(":") ? "[" + host.replaceFirst("%.*", "") + "]" : host,
                bound.getPort(),
                Routes.ROOT));
  }

  /** Takes no request any more, lets those under way end for a second, and ends its threads. */
  @Override
  public void close() {
    server.stop(workers.getActiveCount() == 0 ? 0 : STOP_SECONDS);
    slowClients.close();
    workers.shutdownNow();
  }
}
