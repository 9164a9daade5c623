package io.idlalayer.jobs.registry;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** A schema registry for tests, on this machine, with faults. */
public final class RegistryStandIn implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private @Nullable HttpServer server;
  private int port;
  private @Nullable SSLContext tls;
  private volatile Fault fault = exchange -> false;

  /** Something else than the usual answer. */
  public interface Fault {
    /** Returns whether it has answered. */
    boolean answers(HttpExchange exchange) throws IOException;
  }

  /** Starts a registry without schemas. */
  public static RegistryStandIn start() throws IOException {
    RegistryStandIn registry = new RegistryStandIn();
    registry.up();
    return registry;
  }

  /**
   * Starts a registry without schemas that clients with a trusted certificate reach by TLS only.
   */
  public static RegistryStandIn start(SSLContext tls) throws IOException {
    RegistryStandIn registry = new RegistryStandIn();
    registry.tls = tls;
    registry.up();
    return registry;
  }

  /** Starts it again, at the same address. */
  public void up() throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    HttpServer started = tls == null ? HttpServer.create(address, 50) : secured(tls, address);
    started.setExecutor(threads);
    started.createContext("/", this::answer);
    started.start();
    port = started.getAddress().getPort();
    server = started;
  }

  private static HttpServer secured(SSLContext tls, InetSocketAddress address) throws IOException {
    HttpsServer secured = HttpsServer.create(address, 50);
    secured.setHttpsConfigurator(
        new HttpsConfigurator(tls) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters clients = tls.getDefaultSSLParameters();
            clients.setNeedClientAuth(true);
            parameters.setSSLParameters(clients);
          }
        });
    return secured;
  }

  /** Stops it: connections are refused. */
  public void down() {
    if (server != null) {
      server.stop(0);
      server = null;
    }
  }

  @Override
  public void close() throws Exception {
    down();
    threads.shutdownNow();
    threads.awaitTermination(10, TimeUnit.SECONDS);
  }

  public String url() {
    return (tls == null ? "http://" : "https://")
        + InetAddress.getLoopbackAddress().getHostAddress()
        + ":"
        + port;
  }

  /** Returns settings that reach this registry. */
  public RegistrySettings settings(long timeLimitMillis) {
    return new RegistrySettings(URI.create(url()), null, null, null, timeLimitMillis);
  }

  /** Registers a schema under an id. */
  public void add(int id, String type, String schema, RegisteredSchema.Reference... references) {
    answers.put("/schemas/ids/" + id, json(type, schema, references));
  }

  /** Registers a version of a subject. */
  public void add(
      String subject,
      int version,
      String type,
      String schema,
      RegisteredSchema.Reference... references) {
    answers.put("/subjects/" + subject + "/versions/" + version, json(type, schema, references));
  }

  /** Registers an Avro schema under a subject, so that it is found by its text. */
  public void register(String subject, int id, String schema) {
    ObjectNode root = JSON.createObjectNode().put("id", id).put("version", 1).put("schema", schema);
    answers.put("/subjects/" + subject, root.toString());
  }

  private static String json(String type, String schema, RegisteredSchema.Reference... references) {
    ObjectNode root = JSON.createObjectNode().put("schema", schema);
    if (!type.equals("AVRO")) {
      root.put("schemaType", type);
    }
    for (RegisteredSchema.Reference each : references) {
      root.withArray("references")
          .addObject()
          .put("name", each.name())
          .put("subject", each.subject())
          .put("version", each.version());
    }
    return root.toString();
  }

  /** Answers requests with a fault from now on. */
  public void fail(Fault with) {
    fault = with;
  }

  /** Returns a fault that answers with a status and a text. */
  public static Fault status(int status, String text) {
    return exchange -> {
      send(exchange, status, text);
      return true;
    };
  }

  /** Returns the paths that were asked for, with their queries. */
  public List<String> asked() {
    return asked;
  }

  /** Returns the header Authorization of each request, "" for none. */
  public List<String> authorizations() {
    return authorizations;
  }

  private void answer(HttpExchange exchange) throws IOException {
    asked.add(exchange.getRequestURI().toString());
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    authorizations.add(authorization == null ? "" : authorization);
    if (fault.answers(exchange)) {
      return;
    }
    String found = answers.get(exchange.getRequestURI().getPath());
    boolean other =
        found != null
            && exchange.getRequestMethod().equals("POST")
            && !JSON.readTree(exchange.getRequestBody())
                .path("schema")
                .equals(JSON.readTree(found).path("schema"));
    if (found == null || other) {
      send(exchange, 404, "{\"error_code\":40403,\"message\":\"Schema not found\"}");
    } else {
      send(exchange, 200, found);
    }
  }

  /** Sends an answer. */
  public static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
    exchange.close();
  }
}
