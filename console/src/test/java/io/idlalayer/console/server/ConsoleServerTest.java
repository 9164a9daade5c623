package io.idlalayer.console.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.console.ConsoleEvents;
import io.idlalayer.console.history.Learners;
import io.idlalayer.console.subscribers.ReportedSubscribers;
import io.idlalayer.console.whatif.KeptPlans;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.testkit.KeyStores;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server over real connections, attacks included. */
final class ConsoleServerTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final String[] JSON_WITH_TOKEN = {
    "Content-Type", "application/json", "Authorization", "Bearer " + TOKEN
  };
  private static final InetSocketAddress LOOPBACK = loopback(0);
  private static final InetSocketAddress ALL = new InetSocketAddress(0);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private final Learners learners = new Learners();
  private final HttpClient client = HttpClient.newHttpClient();
  private final PageAnswers page = new PageAnswers();
  private ConsoleServer server;

  ConsoleServerTest() throws IOException {}

  private static InetSocketAddress loopback(int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @BeforeEach
  void start() throws IOException {
    ConsoleEvents.update(1, 10_000).forEach(learners::take);
    server = serve(settings(LOOPBACK, null, false));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static ServerSettings settings(
      InetSocketAddress at, ServerSettings.Tls tls, boolean insecure) {
    return new ServerSettings(at, TOKEN, tls, insecure, Set.of());
  }

  private ConsoleServer serve(ServerSettings settings) throws IOException {
    return ConsoleServer.start(settings, content(), InstantSource.system());
  }

  private void restart(WorkBudget spent) throws IOException {
    server.close();
    server =
        ConsoleServer.start(
            settings(LOOPBACK, null, false),
            content(),
            InstantSource.system(),
            new ReadRoutes.Budgets(spent, spent));
  }

  /**
   * A client that floods the server is refused expensive answers; all other clients get cheap ones.
   */
  @Test
  void aBudgetThatIsSpent_refusesExpensiveAnswersOnly() throws Exception {
    WorkBudget spent = new WorkBudget(1e-6, Duration.ofSeconds(1), System::nanoTime);
    spent.spent(Duration.ofHours(1).toNanos());
    restart(spent);
    for (String expensive : List.of("history", "updates", "events", "moves", "models", "what-if")) {
      HttpResponse<String> refused = get("/api/learners/clicks/0/" + expensive);
      assertThat(refused.statusCode()).as(expensive).isEqualTo(503);
      assertThat(refused.body()).contains("too many requests");
    }
    assertThat(get("/api/console").statusCode()).isEqualTo(200);
    assertThat(get("/").statusCode()).isEqualTo(200);
  }

  /** A comparison that took half a minute is paid for minutes, and not for some seconds. */
  @Test
  void aBudgetThatIsSpent_namesTheWait() throws Exception {
    WorkBudget spent = new WorkBudget(0.2, Duration.ofSeconds(5), () -> 0);
    spent.spent(Duration.ofMillis(28_900).toNanos());
    restart(spent);
    for (String expensive : List.of("history", "what-if")) {
      HttpResponse<String> refused = get("/api/learners/clicks/0/" + expensive);
      assertThat(refused.statusCode()).as(expensive).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).contains("120");
      assertThat(refused.body()).contains("try again in 120 s");
    }
    HttpResponse<String> unknown = get("/api/learners/clicks/x/samples?id=a");
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.headers().firstValue("Retry-After")).isEmpty();
  }

  private ConsoleServer.Content content() {
    return new ConsoleServer.Content(
        ConsoleServerTest::info,
        learners,
        new ConsoleData(List.of(), null, folder.toString()),
        this::subscribers,
        KeptPlans.NONE);
  }

  private static ConsoleInfo info() {
    return new ConsoleInfo(
        "test", ConsoleInfo.Source.RECORDING, "events.jsonl", 1, false, true, "", List.of());
  }

  private ReportedSubscribers subscribers(ApplicationPartition of) {
    ReportedSubscribers.Subscriber one =
        new ReportedSubscribers.Subscriber(
            of.toString(), "h", "champion", 3, 1_000, 70_000, true, 2, "<b>", 1, 31_000, true);
    return new ReportedSubscribers(true, "", false, List.of(one));
  }

  private URI at(String path) {
    return server.address().resolve(path);
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(at(path)).timeout(Duration.ofSeconds(30));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(at(path)).POST(HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  private HttpResponse<String> send(HttpRequest request) throws Exception {
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    page.check(answer);
    return answer;
  }

  /** What no client would send; the status line of the answer. */
  private String raw(String request) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))
          .readLine();
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
    socket.setSoTimeout(60_000);
    return socket;
  }

  private String getRaw(String path, String... headers) throws IOException {
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    return raw(
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n%s\r\n"
            .formatted(path, server.address().getPort(), more));
  }

  @Test
  void reads_giveWhatTheEventsSay() throws Exception {
    JsonNode all = JSON.readTree(get("/api/learners").body());
    assertThat(all).hasSize(1);
    DecisionEvent last = ConsoleEvents.update(1, 10_000).get(2);
    assertThat(all.get(0).get("last")).isEqualTo(JSON.readTree(DecisionEventCodec.encode(last)));
    JsonNode history = JSON.readTree(get("/api/learners/clicks/0/history").body());
    int received = indexOf(history.get("names"), "samples.received");
    assertThat(history.get("atMillis")).hasSize(3);
    assertThat(history.get("values").get(received).get(2).longValue()).isEqualTo(4);
    JsonNode updates = JSON.readTree(get("/api/learners/clicks/0/updates?limit=5").body());
    assertThat(updates.get(0).get("state").textValue()).isEqualTo("published");
    assertThat(updates.get(0).get("heldAtMillis").isNull()).isTrue();
    assertThat(get("/api/learners/clicks/0/events").body()).isEqualTo("[]");
    assertThat(JSON.readTree(get("/api/learners/clicks/0/moves").body()).get("counts")).isEmpty();
    JsonNode sample = JSON.readTree(get("/api/learners/clicks/0/samples?id=%237").body());
    assertThat(sample.get("answer").isNull()).isTrue();
    JsonNode whatIf = JSON.readTree(get("/api/learners/clicks/0/what-if?weight=5").body());
    assertThat(whatIf.get("rows")).hasSize(11);
    assertThat(whatIf.get("weight").doubleValue()).isEqualTo(5);
    JsonNode reported = JSON.readTree(get("/api/learners/clicks/0/subscribers").body());
    assertThat(reported.get("readable").booleanValue()).isTrue();
    assertThat(reported.get("subscribers").get(0))
        .isEqualTo(
            JSON.readTree(
                "{'name':'clicks/0','host':'h','alias':'champion','version':3,'sinceMillis':1000,"
                    .concat("'stalenessMillis':70000,'stale':true,'refused':2,'lastError':'<b>',")
                    .concat("'retired':1,'ageMillis':31000,'silent':true}")
                    .replace('\'', '"')));
    JsonNode models = JSON.readTree(get("/api/learners/clicks/0/models").body());
    assertThat(models.get("versions")).isEmpty();
    assertThat(models.get("problem").textValue()).isEmpty();
  }

  private static int indexOf(JsonNode names, String name) {
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).textValue().equals(name)) {
        return i;
      }
    }
    throw new AssertionError(name);
  }

  @Test
  void whatIsNotThere_isSaidInASentence() throws Exception {
    for (String path :
        List.of(
            "/api/learners/none/0/history",
            "/api/learners/clicks/7/updates",
            "/api/learners/clicks/x/updates",
            "/api/learners/..%2f../0/models",
            "/api/learners/..%2f../0/subscribers",
            "/api/learners/clicks/x/subscribers",
            "/none.js",
            "/api/none")) {
      HttpResponse<String> answer = get(path);
      assertThat(answer.statusCode()).describedAs(path).isIn(400, 404);
      assertThat(JSON.readTree(answer.body()).get("error").textValue()).isNotEmpty();
    }
    assertThat(get("/api/learners/clicks/0/what-if?weight=-1").statusCode()).isEqualTo(400);
    assertThat(get("/api/learners/clicks/0/what-if?weight=word").statusCode()).isEqualTo(400);
    assertThat(get("/api/learners/clicks/0/what-if?epsilon=1e8&lambda=0").statusCode())
        .isEqualTo(400);
    assertThat(get("/api/learners/clicks/0/updates?limit=-1").statusCode()).isEqualTo(400);
    assertThat(get("/api/learners/clicks/0/samples").statusCode()).isEqualTo(400);
  }

  @Test
  void aModelFolderThatIsNotKnown_isAProblemAndNoError() throws Exception {
    server.close();
    ConsoleData data = new ConsoleData(List.of(), null, null);
    server =
        ConsoleServer.start(
            settings(LOOPBACK, null, false),
            new ConsoleServer.Content(
                ConsoleServerTest::info, learners, data, this::subscribers, KeptPlans.NONE),
            InstantSource.system());
    HttpResponse<String> answer = get("/api/learners/clicks/0/models");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(JSON.readTree(answer.body()).get("problem").textValue()).contains("--models-dir");
  }

  @Test
  void aPlanOfAnApplicationThatIsNotKnown_isAProblemAndReadsNoFile() throws Exception {
    for (String application : List.of("clicks", "..%2f..%2fclicks")) {
      HttpResponse<String> answer = get("/api/applications/" + application + "/capacity");
      JsonNode said = JSON.readTree(answer.body());
      assertThat(said.get("problem").textValue()).as(application).contains("without the file");
      assertThat(said.get("plan").isNull()).isTrue();
    }
  }

  @Test
  void writes_needTheToken() throws Exception {
    String json = "application/json";
    for (String path :
        List.of(
            "/api/applications/clicks/train",
            "/api/applications/clicks/explain",
            "/api/applications/clicks/dead-letters/resend",
            "/api/learners/clicks/0/pin",
            "/api/learners/clicks/0/unpin",
            "/api/learners/clicks/0/rollback",
            "/api/learners/clicks/0/alias")) {
      assertThat(post(path, "{}", "Content-Type", json).statusCode()).isEqualTo(403);
      assertThat(
              post(path, "{}", "Content-Type", json, "Authorization", "Bearer wrong").statusCode())
          .isEqualTo(403);
      assertThat(
              post(path, "{}", "Content-Type", json, "Authorization", "Basic " + TOKEN)
                  .statusCode())
          .isEqualTo(403);
    }
  }

  @Test
  void bodiesThatAreNoJsonObject_areRefused() throws Exception {
    String path = "/api/learners/clicks/0/pin";
    for (String body : List.of("", "[]", "{", "{\"version\": \"1\"}", "{\"version\": 0}", "7")) {
      assertThat(post(path, body, JSON_WITH_TOKEN).statusCode()).describedAs(body).isEqualTo(400);
    }
    for (String body :
        List.of(
            "{\"version\": 1}",
            "{\"name\": \"a\"}",
            "{\"name\": \"7\", \"version\": 1}",
            "{\"name\": \"../a\", \"remove\": true}",
            "{\"name\": \"a\", \"remove\": false, \"version\": 1}",
            "{\"name\": \"a\", \"remove\": true, \"version\": 1}")) {
      assertThat(post("/api/learners/clicks/0/alias", body, JSON_WITH_TOKEN).statusCode())
          .describedAs(body)
          .isEqualTo(400);
    }
    assertThat(
            post(
                    path,
                    "version=1",
                    "Content-Type",
                    "text/plain",
                    "Authorization",
                    "Bearer " + TOKEN)
                .statusCode())
        .isEqualTo(415);
    assertThat(post(path, "{\"a\": \"" + "x".repeat(600_000) + "\"}", JSON_WITH_TOKEN).statusCode())
        .isEqualTo(413);
    assertThat(post("/api/applications/clicks/train", "{}", JSON_WITH_TOKEN).statusCode())
        .isEqualTo(404);
  }

  @Test
  void otherHostsAndOrigins_areRefused() throws Exception {
    int port = server.address().getPort();
    assertThat(raw("GET /api/console HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
        .contains("421");
    assertThat(raw("GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\nConnection: close\r\n\r\n"))
        .contains("421");
    assertThat(getRaw("/api/console", "Origin: http://evil.example")).contains("403");
    assertThat(getRaw("/api/console", "Origin: http://127.0.0.1:" + (port + 1))).contains("403");
    assertThat(getRaw("/api/console", "Origin: null")).contains("403");
    assertThat(getRaw("/api/console", "Origin: http://127.0.0.1:" + port)).contains("200");
    assertThat(getRaw("/api/console", "Sec-Fetch-Site: cross-site")).contains("403");
    assertThat(getRaw("/api/console", "Sec-Fetch-Site: same-origin")).contains("200");
    assertThat(
            raw(
                "GET / HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n"
                    .formatted(port)))
        .contains("200");
  }

  @Test
  void filesOutsideThePage_areNotServed() throws Exception {
    for (String path :
        List.of(
            "/../log4j2.properties",
            "/%2e%2e/log4j2.properties",
            "/..%2flog4j2.properties",
            "/web/index.html",
            "/index.html/../../x",
            "/log4j2.properties",
            "/%00index.html",
            "/index.html%00.js",
            "//etc/passwd")) {
      assertThat(getRaw(path)).describedAs(path).matches("HTTP/1.1 4\\d\\d .*");
    }
    assertThat(get("/").statusCode()).isEqualTo(200);
  }

  @Test
  void everyAnswer_forbidsScriptsOfOthers() throws Exception {
    for (String path : List.of("/", "/api/learners", "/none.js")) {
      HttpResponse<String> answer = get(path);
      assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
          .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'");
      assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
      assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
      assertThat(answer.headers().firstValue("Server")).isEmpty();
    }
  }

  @Test
  void oversizedAndBrokenRequests_areRefusedAndTheServerGoesOn() throws Exception {
    assertThat(getRaw("/api/console", "X: " + "x".repeat(20_000))).contains("431");
    assertThat(getRaw("/" + "x".repeat(20_000))).containsAnyOf("414", "431");
    assertThat(raw("\0\1\2\r\n\r\n")).contains("400");
    assertThat(raw("GET / HTTP/1.1\r\n\r\n")).contains("400");
    assertThat(raw("TRACE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .containsAnyOf("403", "404", "405");
    for (String method : java.util.List.of("get", "Get", "BREW", "G\u00e9T", "_")) {
      assertThat(raw(method + " / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
          .as(method)
          .matches("(?s)HTTP/1.1 40[05] .*");
    }
    assertThat(get("/api/learners").statusCode()).isEqualTo(200);
  }

  /** Reads server-sent events of a connection until one has the text. */
  private static String readUntil(InputStream in, String text) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    StringBuilder read = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      read.append(line).append('\n');
      if (line.contains(text)) {
        return read.toString();
      }
    }
    throw new AssertionError("the stream ended: " + read);
  }

  private Socket listen() throws IOException {
    Socket socket = connect();
    OutputStream out = socket.getOutputStream();
    out.write(
        "GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  @Test
  void eventsAreSent_toAllPagesThatListen() throws Exception {
    try (Socket one = listen();
        Socket two = listen()) {
      assertThat(readUntil(one.getInputStream(), "nowMillis")).contains("text/event-stream");
      readUntil(two.getInputStream(), "nowMillis");
      DecisionEvent event = ConsoleEvents.status(99_000, 42);
      server.listener().event(event);
      String data = new String(DecisionEventCodec.encode(event), StandardCharsets.UTF_8);
      assertThat(readUntil(one.getInputStream(), "99000"))
          .contains("event: decision\ndata: " + data);
      readUntil(two.getInputStream(), "99000");
      server.listener().anew();
      readUntil(one.getInputStream(), "event: gap");
    }
  }

  @Test
  void aPageThatDoesNotRead_stopsNobody() throws Exception {
    try (Socket slow = listen();
        Socket quick = listen()) {
      readUntil(slow.getInputStream(), "nowMillis");
      readUntil(quick.getInputStream(), "nowMillis");
      String large = "x".repeat(4_000);
      for (int number = 0; number < 20_000; number++) {
        server
            .listener()
            .event(
                ConsoleEvents.event(
                    DecisionEvent.Type.INPUT, 100_000 + number, number, 0, null, large));
      }
      // The quick one is behind as well, and told so; then it goes on.
      server.listener().event(ConsoleEvents.status(777_777, 1));
      readUntil(quick.getInputStream(), "777777");
      assertThat(get("/api/learners").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void moreListenersThanPlaces_areRefusedAndPlacesComeBack() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 24; i++) {
        Socket socket = listen();
        sockets.add(socket);
        readUntil(socket.getInputStream(), "nowMillis");
      }
      assertThat(get("/api/stream").statusCode()).isEqualTo(503);
      assertThat(get("/api/learners").statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              // A page that left is noticed when something is sent to it.
              server.listener().event(ConsoleEvents.status(1_000, 1));
              try (Socket again = listen()) {
                again.setSoTimeout(2_000);
                return readUntil(again.getInputStream(), "nowMillis").contains("200");
              } catch (IOException | AssertionError full) {
                return false;
              }
            });
  }

  @Test
  void pagesThatLeaveAtOnce_keepNoPlace() throws Exception {
    for (int i = 0; i < 200; i++) {
      try (Socket socket = listen()) {
        // Closing sends a reset, also before the answer has begun.
        socket.setSoLinger(true, 0);
      }
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              server.listener().event(ConsoleEvents.status(1_000, 1));
              List<Socket> all = new ArrayList<>();
              try {
                for (int i = 0; i < 20; i++) {
                  Socket socket = listen();
                  socket.setSoTimeout(5_000);
                  all.add(socket);
                  readUntil(socket.getInputStream(), "nowMillis");
                }
                return true;
              } catch (IOException | AssertionError full) {
                return false;
              } finally {
                for (Socket socket : all) {
                  socket.close();
                }
              }
            });
  }

  @Test
  void recordedEvents_canBeSeenAndNothingChanged() throws Exception {
    for (String change : List.of("pin", "unpin", "rollback")) {
      HttpResponse<String> answer =
          post("/api/learners/clicks/0/" + change, "{\"version\": 1}", JSON_WITH_TOKEN);
      assertThat(answer.statusCode()).describedAs(change).isEqualTo(409);
      assertThat(answer.body()).contains("recorded events");
    }
  }

  @Test
  void behindAProxyThatSpeaksTls_pagesOfAnAllowedNameMayAsk() throws Exception {
    server.close();
    server = serve(new ServerSettings(LOOPBACK, TOKEN, null, false, Set.of("console.example")));
    String host = "GET /api/console HTTP/1.1\r\nHost: console.example\r\nConnection: close\r\n";
    assertThat(raw(host + "Origin: https://console.example\r\n\r\n")).contains("200");
    assertThat(raw(host + "Origin: https://other.example\r\n\r\n")).contains("403");
    assertThat(
            raw(host.replace("console.example", "localhost") + "Origin: https://localhost\r\n\r\n"))
        .contains("403");
  }

  @Test
  void addresses_cannotBeNamesOfOthers_areAnswered() throws Exception {
    for (String host : List.of("[::1]", "[0:0:0:0:0:0:0:1]", "[::2]", "10.0.0.7")) {
      assertThat(raw("GET / HTTP/1.1\r\nHost: %s:1\r\nConnection: close\r\n\r\n".formatted(host)))
          .describedAs(host)
          .contains("200");
    }
    for (String host : List.of("[evil]", "[]", "10.0.0.7.evil.example")) {
      assertThat(raw("GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(host)))
          .describedAs(host)
          .containsAnyOf("421", "400");
    }
  }

  @Test
  void halfRequests_keepNobodyOut() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 60; i++) {
        Socket socket = connect();
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHo".getBytes(StandardCharsets.US_ASCII));
        sockets.add(socket);
      }
      assertThat(get("/api/learners").statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  void anotherAddress_needsTlsOrTheWordInsecure() {
    assertThatThrownBy(() -> settings(ALL, null, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--key-store");
    assertThatThrownBy(() -> new ServerSettings(LOOPBACK, "no token", null, false, Set.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void onAnotherAddress_readsNeedTheTokenToo() throws Exception {
    server.close();
    server = serve(settings(ALL, null, true));
    URI local = URI.create("http://127.0.0.1:" + server.address().getPort() + "/api/learners");
    HttpRequest.Builder request = HttpRequest.newBuilder(local);
    assertThat(send(request.build()).statusCode()).isEqualTo(401);
    request.header("Authorization", "Bearer " + TOKEN);
    assertThat(send(request.build()).statusCode()).isEqualTo(200);
  }

  @Test
  void aPortThatIsTaken_isSaid() {
    ServerSettings same =
        new ServerSettings(loopback(server.address().getPort()), TOKEN, null, false, Set.of());
    assertThatThrownBy(() -> serve(same))
        .isInstanceOf(BindException.class)
        .hasMessageContaining("is taken");
  }

  @Test
  void withClientCertificates_strangersGetNoConnection() throws Exception {
    Path serverKeys = keys("server");
    Path browserKeys = keys("browser");
    Path strangerKeys = keys("stranger");
    server.close();
    server =
        serve(
            new ServerSettings(
                LOOPBACK,
                TOKEN,
                new ServerSettings.Tls(
                    serverKeys,
                    KeyStores.PASSWORD,
                    trusted(browserKeys, "browser"),
                    KeyStores.PASSWORD),
                false,
                Set.of()));
    assertThat(server.address().getScheme()).isEqualTo("https");
    Path trust = trusted(serverKeys, "server");
    HttpRequest request = HttpRequest.newBuilder(at("/api/learners")).build();
    HttpClient known = HttpClient.newBuilder().sslContext(tls(browserKeys, trust)).build();
    assertThat(known.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(200);
    for (HttpClient other :
        List.of(
            HttpClient.newBuilder().sslContext(tls(strangerKeys, trust)).build(),
            HttpClient.newBuilder().sslContext(tls(null, trust)).build())) {
      assertThatThrownBy(() -> other.send(request, HttpResponse.BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
    }
  }

  private static SSLContext tls(Path keys, Path trusted) throws Exception {
    KeyManagerFactory mine = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    TrustManagerFactory theirs =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    char[] password = KeyStores.PASSWORD.toCharArray();
    if (keys != null) {
      mine.init(KeyStore.getInstance(keys.toFile(), password), password);
    } else {
      mine.init(null, null);
    }
    theirs.init(KeyStore.getInstance(trusted.toFile(), password));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(mine.getKeyManagers(), theirs.getTrustManagers(), null);
    return context;
  }

  private Path keys(String alias) throws IOException {
    return KeyStores.keys(folder.resolve(alias + ".p12"), alias);
  }

  private Path trusted(Path keys, String alias) throws IOException {
    return KeyStores.trusting(folder.resolve(alias + "-trusted.p12"), keys, alias);
  }
}
