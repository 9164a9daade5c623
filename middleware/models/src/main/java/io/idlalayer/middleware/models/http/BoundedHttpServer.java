package io.idlalayer.middleware.models.http;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's HTTP server with bounds on its threads, on its waiting requests, and on the time that a
 * client is allowed to take.
 *
 * <p>Some settings are system properties that the JDK reads once for all its servers. {@link
 * #start} sets them if they are not set. They have no effect if the process created a server of the
 * JDK earlier:
 *
 * <ul>
 *   <li>{@code jdk.httpserver.maxConnections} bounds the number of connections.
 *   <li>{@code sun.net.httpserver.maxIdleConnections} and {@code sun.net.httpserver.idleInterval}
 *       keep the server from closing a connection on which its client is about to send: seven
 *       eighths of the connections are allowed to be idle, for longer than clients keep idle
 *       connections. The last eighth is left for clients that come while the others are idle.
 *   <li>{@code sun.net.httpserver.nodelay} switches Nagle's algorithm off.
 * </ul>
 */
public final class BoundedHttpServer implements AutoCloseable {
  /** Number of short answers that can be sent at a time, besides the transfers of files. */
  private static final int SHORT_ANSWERS = 4;

  private static final int STOP_SECONDS = 1;

  /**
   * Seconds after which an idle connection is closed: a minute longer than the JDK's HTTP client
   * keeps an idle connection in Java versions before 20.
   */
  private static final int IDLE_SECONDS = 1_260;

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final HttpServer server;
  private final Workers workers;
  private final SlowClients slowClients;
  private final boolean tls;

  private BoundedHttpServer(
      HttpServer server, Workers workers, SlowClients slowClients, boolean tls) {
    this.server = server;
    this.workers = workers;
    this.slowClients = slowClients;
    this.tls = tls;
  }

  /**
   * Tells the handler of a server how loaded the server is, and takes the handler's reports on the
   * progress of requests.
   */
  public interface Load {
    /** Returns whether too many requests wait, so that a new one should be refused. */
    boolean busy();

    /** Notifies that the whole request of the calling thread has arrived. */
    void received();

    /** Notifies that the client of the calling thread's request has sent or received some bytes. */
    void progress();

    /**
     * Notifies that the calling thread computes an answer: until the next call of {@link
     * #progress}, its client does not count as slow.
     */
    void computing();
  }

  /**
   * Starts a server with one handler for all requests.
   *
   * @param name name of its threads
   * @param longest longest time that a request and its answer may take together
   * @param handler creates the handler of all requests, which runs on several threads
   * @throws IOException if the address is in use or does not belong to this machine
   */
  public static BoundedHttpServer start(
      String name,
      ModelServerSettings settings,
      Duration longest,
      Function<Load, HttpHandler> handler)
      throws IOException {
    int connections = settings.connections();
    setIfAbsent("jdk.httpserver.maxConnections", connections);
    setIfAbsent("sun.net.httpserver.maxIdleConnections", connections - connections / 8);
    setIfAbsent("sun.net.httpserver.idleInterval", IDLE_SECONDS);
    setIfAbsent("sun.net.httpserver.nodelay", true);
    HttpServer http = create(settings);
    String named = String.format(Locale.ROOT, "%s-%d", name, NUMBER.incrementAndGet());
    ArrayBlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(settings.connections());
    SlowClients slow = new SlowClients(settings.patience(), longest, () -> !waiting.isEmpty());
    Workers workers = new Workers(named, settings, waiting, slow);
    http.setExecutor(workers);
    http.createContext("/", handler.apply(workers));
    Thread watch = new Thread(slow, named + "-watch");
    watch.setDaemon(true);
    watch.start();
    http.start();
    return new BoundedHttpServer(http, workers, slow, settings.tls() != null);
  }

  private static void setIfAbsent(String property, Object value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value.toString());
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
          String.format(
              Locale.ROOT,
              "cannot listen on %s port %d: %s",
              bind.getHostString(),
              bind.getPort(),
              refused.getMessage()),
          refused);
    }
  }

  /** The threads that answer requests. */
  private static final class Workers extends ThreadPoolExecutor implements Load {
    private final SlowClients slowClients;
    private final int most;

    /**
     * @param waiting queue of requests, at most one of each connection. It gets full only if the
     *     limit of connections has no effect; the JDK then closes a connection
     */
    Workers(
        String name,
        ModelServerSettings settings,
        ArrayBlockingQueue<Runnable> waiting,
        SlowClients slowClients) {
      super(
          settings.transfers() + SHORT_ANSWERS,
          settings.transfers() + SHORT_ANSWERS,
          1,
          TimeUnit.MINUTES,
          waiting,
          task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
          });
      allowCoreThreadTimeOut(true);
      this.slowClients = slowClients;
      most = settings.connections() / 2;
    }

    @Override
    public boolean busy() {
      return getQueue().size() > most;
    }

    @Override
    public void received() {
      slowClients.received();
    }

    @Override
    public void progress() {
      slowClients.progress();
    }

    @Override
    public void computing() {
      slowClients.computing();
    }

    @Override
    protected void beforeExecute(Thread thread, Runnable task) {
      slowClients.begin();
    }

    @Override
    protected void afterExecute(Runnable task, @Nullable Throwable failed) {
      slowClients.end();
    }
  }

  /**
   * Returns the address of a path on this server, with the server's actual port.
   *
   * @param path path after host and port, with its leading slash
   */
  public URI address(String path) {
    InetSocketAddress bound = server.getAddress();
    String host = bound.getAddress().getHostAddress();
    return URI.create(
        String.format(
            Locale.ROOT,
            "%s://%s:%d%s",
            tls ? "https" : "http",
            host.contains(":") ? "[" + host.replaceFirst("%.*", "") + "]" : host,
            bound.getPort(),
            path));
  }

  /**
   * Accepts no further requests, gives running ones a second to end, and ends the server's threads.
   */
  @Override
  public void close() {
    server.stop(workers.getActiveCount() == 0 ? 0 : STOP_SECONDS);
    slowClients.close();
    workers.shutdownNow();
  }
}
