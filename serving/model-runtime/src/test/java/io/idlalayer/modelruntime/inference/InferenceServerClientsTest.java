package io.idlalayer.modelruntime.inference;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.idlalayer.middleware.models.http.BoundedHttpServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The clients of the server: who may ask, how slow and how many they may be. */
final class InferenceServerClientsTest extends InferenceServerFixture {
  /** Seven eighths of {@link #CONNECTIONS}; the JDK keeps 200. */
  private static final int IDLE_CONNECTIONS = 224;

  /** The server's with slow clients: time enough for the others on a machine that is loaded. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)Content-Length: (\\d+)");

  @Test
  void requests_withoutTheToken_learnOnlyWhetherTheServerIsReady() throws Exception {
    serve("good");
    start("s3cret", Duration.ofSeconds(10));
    get(200, "/health/live");
    get(200, "/health/ready");
    for (String path : List.of("", "/models/app", "/models/app/ready", "/nothing")) {
      assertThat(get(401, path).path("error").asText()).contains("bearer token");
    }
    assertThat(send("POST", "/models/app/infer", inputs(X, V)).statusCode()).isEqualTo(401);
    assertThat(
            send("POST", "/models/app/infer", inputs(X, V), "Authorization", "Bearer other")
                .statusCode())
        .isEqualTo(401);
    assertThat(
            send("POST", "/models/app/infer", inputs(X, V), "Authorization", "Bearer s3cret")
                .statusCode())
        .isEqualTo(200);
  }

  private int statusFor(String host, String... headers) throws IOException {
    String body = inputs(X, V);
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    String request =
        "POST /v2/models/app/infer HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n%s\r\n%s"
            .formatted(host, body.length(), more, body);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address("").getPort())) {
      return status(socket, request.getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** A page may have its name resolve to the address of the server. */
  @Test
  void requests_ofAPageOfAnotherSite_areRefused() throws Exception {
    start();
    int port = address("").getPort();
    assertThat(statusFor("evil.example:" + port)).isEqualTo(421);
    assertThat(statusFor("localhost", "Origin: http://evil.example")).isEqualTo(403);
    assertThat(statusFor("localhost", "Sec-Fetch-Site: cross-site")).isEqualTo(403);
    assertThat(statusFor("localhost", "Sec-Fetch-Site: same-site")).isEqualTo(403);
    assertThat(statusFor("localhost:" + port, "Origin: http://localhost:" + port)).isEqualTo(200);
    assertThat(statusFor("10.0.0.7")).isEqualTo(200);
    HttpResponse<String> foreign = send("GET", "/health/live", "", "Origin", "http://evil.example");
    assertThat(foreign.statusCode()).isEqualTo(403);
    assertThat(foreign.body())
        .contains("{\"error\":\"pages of other sites may not send requests to this server\"}");
    close();
    open();
    start("s3cret", Duration.ofSeconds(10));
    assertThat(statusFor("evil.example")).isEqualTo(401);
    subscriber.refresh();
    assertThat(statusFor("behind.a.proxy.example", "Authorization: Bearer s3cret")).isEqualTo(200);
  }

  @Test
  void clients_thatAreTooSlow_areCutOffAndOthersAnswered() throws Exception {
    serve("good");
    start(null, PATIENCE);
    List<String> beginnings =
        List.of(
            "POST /v2/models/app/infer HTTP/1.1\r\nHost: localhost\r\nConte",
            "POST /v2/models/app/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"inp");
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 30; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), address("").getPort());
        socket.setSoTimeout(60_000);
        OutputStream out = socket.getOutputStream();
        out.write(beginnings.get(i % 2).getBytes(StandardCharsets.US_ASCII));
        slow.add(socket);
      }
      infer(200, inputs(X, V));
      for (Socket each : slow) {
        InputStream in = each.getInputStream();
        assertThat(ended(in)).as("cut off").isTrue();
      }
    } finally {
      for (Socket each : slow) {
        each.close();
      }
    }
    infer(200, inputs(X, V));
  }

  /** More clients that stop in the middle of a request than the server has threads. */
  @Test
  void request_behindSlowOnes_doesNotWaitForTheirWholePatience() throws Exception {
    serve("good");
    Duration patience = Duration.ofSeconds(20);
    start(null, patience);
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 30; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), address("").getPort());
        socket.getOutputStream().write("POST /v2/mod".getBytes(StandardCharsets.US_ASCII));
        slow.add(socket);
      }
      long start = System.nanoTime();
      infer(200, inputs(X, V));
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(patience);
    } finally {
      for (Socket each : slow) {
        each.close();
      }
    }
  }

  /** A connection that the server closes between two requests fails the second one. */
  @Test
  void connections_moreThanTheJdkKeeps_areKeptBetweenRequests() throws Exception {
    start();
    assertThat(System.getProperty("sun.net.httpserver.idleInterval"))
        .as("seconds; the JDK's clients keep connections for 1,200")
        .isEqualTo("1260");
    String body = inputs(X, V);
    String head =
        "POST /v2/models/app/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n";
    byte[] request = (head.formatted(body.length()) + body).getBytes(StandardCharsets.UTF_8);
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < IDLE_CONNECTIONS; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), address("").getPort());
        socket.setSoTimeout(60_000);
        open.add(socket);
        assertThat(status(socket, request)).isEqualTo(200);
      }
      for (Socket each : open) {
        assertThat(status(each, request)).isEqualTo(200);
      }
    } finally {
      for (Socket each : open) {
        each.close();
      }
    }
  }

  /** Sends a request and reads its answer to the end; -1 if there is none. */
  private static int status(Socket socket, byte[] request) throws IOException {
    socket.getOutputStream().write(request);
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return -1;
      }
      head.append((char) next);
    }
    Matcher length = CONTENT_LENGTH.matcher(head);
    assertThat(length.find()).as(head.toString()).isTrue();
    in.skipNBytes(Long.parseLong(length.group(1)));
    return Integer.parseInt(head.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
  }

  /** The client can do nothing for a model that is slow. */
  @Test
  void infer_theModelIsSlowerThanClientsMayBe_answersAllTheSame() throws Exception {
    serve("slow");
    start(null, PATIENCE);
    String data = "[" + "1,".repeat(3 * 512 - 1) + "1]";
    assertThat(
            infer(200, inputs(tensor("features", "FP32", "[512,3]", data))).at("/outputs/0/data"))
        .hasSize(512);
    serve("slower");
    infer(200, inputs(X, V));
  }

  /** A supervisor that is told that the server is dead ends it. */
  @Test
  void live_tooManyRequests_isAnswered() throws Exception {
    BoundedHttpServer.Load busy =
        new BoundedHttpServer.Load() {
          @Override
          public boolean busy() {
            return true;
          }

          @Override
          public void received() {}

          @Override
          public void progress() {}

          @Override
          public void computing() {}
        };
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpServer overloaded = HttpServer.create(bind, 0);
    overloaded.createContext(
        "/",
        new InferenceHandler(
            new Inference(
                List.of(new ServedModel("app", subscriber)), () -> Instant.ofEpochMilli(12_345)),
            ModelServerSettings.of(bind, null, false, null),
            () -> Instant.ofEpochMilli(12_345),
            busy));
    overloaded.start();
    try {
      URI v2 = URI.create("http://127.0.0.1:%d/v2/".formatted(overloaded.getAddress().getPort()));
      assertThat(statusOf(v2.resolve("health/live"))).isEqualTo(200);
      assertThat(statusOf(v2.resolve("health/ready"))).isEqualTo(503);
      assertThat(statusOf(v2.resolve("models/app"))).isEqualTo(503);
    } finally {
      overloaded.stop(0);
    }
  }

  private int statusOf(URI address) throws Exception {
    return client
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static boolean ended(InputStream in) {
    try {
      return in.readAllBytes().length == 0;
    } catch (java.net.SocketTimeoutException open) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }
}
