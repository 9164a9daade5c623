package io.idlalayer.middleware.models.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.testkit.KeyStores;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.commons.codec.digest.DigestUtils;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ModelServerTest {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final String VERSION = "/models/app/0/v0000000001/";

  /** More than the buffers of sockets hold. */
  private static final int LARGE_BYTES = 24 << 20;

  @TempDir Path root;
  @TempDir Path elsewhere;
  private ModelPublisher publisher;
  private @Nullable ModelServer server;
  private int port;

  @BeforeEach
  void publish() throws IOException {
    publisher = new ModelStore(root, InstantSource.system()).claim("app", 0);
    publisher.publish(Drafts.of(1, "content of the model"));
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private void start(ModelServerSettings settings) throws IOException {
    server = ModelServer.start(ModelStore.confined(root), settings);
    port = server.address().getPort();
  }

  private void start() throws IOException {
    start(ModelServerSettings.of(loopback(), null, false, null));
  }

  private void startWithLimits(int transfers, Duration patience) throws IOException {
    start(
        new ModelServerSettings(loopback(), null, false, null, transfers, 256, patience, Set.of()));
  }

  private RawHttp.Answer get(String path, String... headers) throws IOException {
    return RawHttp.ask(port, "GET", path, headers);
  }

  private ModelCheckpoint publishLarge() throws IOException {
    byte[] large = new byte[LARGE_BYTES];
    new SplittableRandom(3).nextBytes(large);

    return publisher.publish(Drafts.of("app", java.util.Map.of("model.zip", large)));
  }

  @Test
  void get_everyRoute_isWhatWasPublished() throws IOException {
    start();
    assertThat(get("/models/").text())
        .isEqualTo(
            "{\"formatVersion\":1,\"applications\":[{\"application\":\"app\",\"partitions\":[0]}]}");
    assertThat(get("/models/app/0/").text()).isEqualTo("{\"formatVersion\":1,\"versions\":[1]}");
    Path folder = root.resolve("app/0/v0000000001");
    assertThat(get("/models/app/0/current.json").body())
        .isEqualTo(Files.readAllBytes(Drafts.pointer(root.resolve("app/0"), publisher)));
    byte[] manifest = Files.readAllBytes(folder.resolve("manifest.json"));
    RawHttp.Answer answer = get(VERSION + "manifest.json");
    assertThat(answer.body()).isEqualTo(manifest);
    assertThat(answer.header("ETag")).isEqualTo('"' + DigestUtils.sha256Hex(manifest) + '"');
    assertThat(answer.header("Cache-Control")).contains("immutable");
    assertThat(answer.header("Content-Type")).isEqualTo("application/json");
    RawHttp.Answer model = get(VERSION + "model.zip");
    assertThat(model.text()).isEqualTo("content of the model");
    assertThat(model.header("ETag"))
        .isEqualTo('"' + DigestUtils.sha256Hex("content of the model") + '"');
    assertThat(model.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(get("/models/app/0/current.json").header("Cache-Control")).isEqualTo("no-cache");
    assertThat(get(VERSION).text()).contains("{\"name\":\"model.zip\",\"bytes\":20}");
  }

  @Test
  void head_everyRoute_hasTheHeadersOfGetAndNoBody() throws IOException {
    start();
    for (String path : List.of("/models/", VERSION + "model.zip", VERSION + "manifest.json")) {
      RawHttp.Answer get = get(path);
      RawHttp.Answer head = RawHttp.ask(port, "HEAD", path, "Range: bytes=0-1");
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.body()).isEmpty();
      assertThat(head.header("Content-Length")).isEqualTo(Integer.toString(get.body().length));
      assertThat(head.header("ETag")).isEqualTo(get.header("ETag")).isNotEmpty();
    }
    assertThat(RawHttp.ask(port, "HEAD", "/models/none").status()).isEqualTo(404);
  }

  @Test
  void get_conditions_saveTheBody() throws IOException {
    start();
    for (String path : List.of("/models/app/0/current.json", VERSION + "model.zip")) {
      String tag = get(path).header("ETag");
      for (String has : List.of(tag, "W/" + tag, "\"other\", " + tag, "*")) {
        RawHttp.Answer same = get(path, "If-None-Match: " + has);
        assertThat(same.status()).as(has).isEqualTo(304);
        assertThat(same.body()).isEmpty();
        assertThat(same.header("ETag")).isEqualTo(tag);
      }
      assertThat(get(path, "If-None-Match: \"other\"").status()).isEqualTo(200);
    }
    String before = get("/models/app/0/current.json").header("ETag");
    publisher.publish(Drafts.of(2, "two"));
    assertThat(get("/models/app/0/current.json", "If-None-Match: " + before).status())
        .isEqualTo(200);
  }

  @Test
  void get_aliases_areWhatTheFileHas() throws IOException {
    start();
    String path = "/models/app/0/aliases.json";
    assertThat(get(path).status()).isEqualTo(404);
    ModelStore store = new ModelStore(root, InstantSource.system());
    ModelCheckpoint first = store.current("app", 0).orElseThrow();
    store.alias("champion", first);
    RawHttp.Answer answer = get(path);
    assertThat(answer.body()).isEqualTo(Files.readAllBytes(root.resolve("app/0/aliases.json")));
    assertThat(answer.text()).contains("\"champion\"", first.digest());
    assertThat(answer.header("Cache-Control")).isEqualTo("no-cache");
    String tag = answer.header("ETag");
    assertThat(tag).isEqualTo('"' + DigestUtils.sha256Hex(answer.body()) + '"');
    assertThat(get(path, "If-None-Match: " + tag).status()).isEqualTo(304);
    store.alias("shadow", first);
    assertThat(get(path, "If-None-Match: " + tag).status()).isEqualTo(200);
    for (String other : List.of(path + "/", "/models/app/1/aliases.json", "/models/aliases.json")) {
      assertThat(get(other).status()).as(other).isEqualTo(404);
    }
  }

  @Test
  void get_ranges_arePartsOfTheFile() throws IOException {
    start();
    String path = VERSION + "model.zip";
    String tag = get(path).header("ETag");
    RawHttp.Answer part = get(path, "Range: bytes=8-9");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo("of");
    assertThat(part.header("Content-Range")).isEqualTo("bytes 8-9/20");
    assertThat(part.header("Content-Length")).isEqualTo("2");
    assertThat(get(path, "Range: bytes=-5").text()).isEqualTo("model");
    assertThat(get(path, "Range: bytes=15-", "If-Range: " + tag).text()).isEqualTo("model");
    RawHttp.Answer whole = get(path, "Range: bytes=15-", "If-Range: \"other\"");
    assertThat(whole.status()).isEqualTo(200);
    assertThat(whole.body()).hasSize(20);
    RawHttp.Answer beyond = get(path, "Range: bytes=20-");
    assertThat(beyond.status()).isEqualTo(416);
    assertThat(beyond.header("Content-Range")).isEqualTo("bytes */20");
    assertThat(get(path, "Range: bytes=0-1,4-5").status()).isEqualTo(200);
  }

  @Test
  void send_otherMethods_areRefused() throws IOException {
    start();
    for (String method : List.of("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "MOVE")) {
      RawHttp.Answer answer = RawHttp.ask(port, method, "/models/app/0/current.json");
      assertThat(answer.status()).as(method).isEqualTo(405);
      assertThat(answer.header("Allow")).isEqualTo("GET, HEAD");
    }
    assertThat(get("/models/app/0/current.json").status()).isEqualTo(200);
  }

  /** Nothing but what a manifest names can be read, whatever the path looks like. */
  @Test
  void get_pathTricks_areNotFound() throws IOException {
    Files.writeString(root.resolve("secret.txt"), "secret");
    Files.writeString(elsewhere.resolve("secret.txt"), "secret");
    Path folder = root.resolve("app/0");
    Files.writeString(folder.resolve("v0000000001/foreign.txt"), "secret");
    Files.createDirectories(folder.resolve(".staging-1-x"));
    Files.writeString(folder.resolve(".staging-1-x/model.zip"), "secret");
    Files.createSymbolicLink(root.resolve("linked"), elsewhere);
    Files.createSymbolicLink(folder.resolve("v0000000009"), elsewhere);
    Files.createDirectories(elsewhere.resolve("0/v0000000001"));
    Files.writeString(elsewhere.resolve("0/v0000000001/manifest.json"), "secret");
    startWithLimits(4, Duration.ofSeconds(1));
    List<String> tricks =
        List.of(
            "/",
            "/models",
            "/models//",
            "/models/app",
            "/models/app/0",
            "/models/app/00/",
            "/models/app/-1/",
            "/models/app/0/v0000000001",
            "/models/app/0/v1/model.zip",
            "/models/app/0/v00000000001/model.zip",
            "/models/app/0/v999999999999999999999/model.zip",
            "/models/app/0/holder.json",
            "/models/app/0/publisher-0000000001/holder.json",
            "/models/app/0/publisher-0000000001/current.json",
            "/models/app/0/.staging-1-x/model.zip",
            VERSION + "foreign.txt",
            VERSION + "../../../secret.txt",
            VERSION + "..%2f..%2f..%2fsecret.txt",
            VERSION + "%2e%2e/%2e%2e/%2e%2e/secret.txt",
            VERSION + "..\\..\\..\\secret.txt",
            VERSION + "model.zip%00.txt",
            VERSION + "model%2Ezip",
            VERSION + "./model.zip",
            VERSION + "/model.zip",
            VERSION + "model.zip/",
            VERSION + "model.zip;x=1",
            "/models/../secret.txt",
            "/models/app/../secret.txt",
            "/models/%2e%2e/secret.txt",
            "/models/..;/secret.txt",
            "/models/linked/0/v0000000001/manifest.json",
            "/models/linked/0/",
            "/models/app/0/v0000000009/secret.txt",
            "/models/app/0/v0000000009/manifest.json",
            "/models/app/0/v0000000009/",
            "/etc/passwd",
            "//etc/passwd",
            "/models/" + "a".repeat(5_000) + "/0/",
            "/MODELS/app/0/current.json",
            "http://localhost/models/../secret.txt",
            "http://other/etc/passwd",
            "file:///etc/passwd",
            "*");
    for (String trick : tricks) {
      RawHttp.Answer answer = get(trick);
      assertThat(answer.head()).as(trick).isNotEmpty();
      assertThat(answer.status()).as(trick).isIn(400, 404);
      assertThat(answer.text()).as(trick).doesNotContain("secret", root.toString(), "root:");
    }
    assertThat(get("/models/").text()).contains("app").doesNotContain("linked");
    assertThat(
            RawHttp.send(
                    port, "GET /models/ HTTP/1.1\nHost: localhost\r\nConnection: close\r\n\r\n")
                .text())
        .doesNotContain("secret");
    assertThat(get(VERSION + "model.zip?x=1").status()).isEqualTo(200);
  }

  @Test
  void get_garbage_serverServesOn() throws IOException {
    start();
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 50; i++) {
      byte[] garbage = new byte[random.nextInt(1, 2_000)];
      random.nextBytes(garbage);
      try (Socket socket = RawHttp.connect(port)) {
        socket.getOutputStream().write(garbage);
        socket.getOutputStream().write("\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
      } catch (IOException closed) {
        assertThat(closed).isNotNull();
      }
    }
    assertThat(get(VERSION + "model.zip").status()).isEqualTo(200);
  }

  @Test
  void get_damagedVersion_isRefusedWithoutPathsOfTheServer() throws IOException {
    start();
    Files.writeString(root.resolve("app/0/v0000000001/model.zip"), "short");
    RawHttp.Answer damaged = get(VERSION + "model.zip");
    assertThat(damaged.status()).isEqualTo(500);
    assertThat(damaged.text()).contains("damaged").doesNotContain(root.toString());
    Files.delete(root.resolve("app/0/v0000000001/model.zip"));
    assertThat(get(VERSION + "model.zip").status()).isEqualTo(404);
  }

  @Test
  void get_token_isNeededForEverything() throws IOException {
    start(ModelServerSettings.of(loopback(), "abc123", false, null));
    for (String path : List.of("/models/", VERSION + "model.zip", "/none", "/")) {
      RawHttp.Answer none = get(path);
      assertThat(none.status()).isEqualTo(401);
      assertThat(none.header("WWW-Authenticate")).startsWith("Bearer");
      assertThat(get(path, "Authorization: Bearer abc124").status()).isEqualTo(401);
      assertThat(get(path, "Authorization: Bearer ").status()).isEqualTo(401);
      assertThat(get(path, "Authorization: Basic abc123").status()).isEqualTo(401);
    }
    assertThat(RawHttp.ask(port, "DELETE", "/models/").status()).isEqualTo(401);
    RawHttp.Answer good = get(VERSION + "model.zip", "Authorization: bearer abc123");
    assertThat(good.status()).isEqualTo(200);
    assertThat(good.header("Cache-Control")).startsWith("private");
  }

  private int status(String host, String... headers) throws IOException {
    String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
    RawHttp.Answer answer =
        RawHttp.send(
            port,
            "GET /models/ HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n"
                .formatted(host, more));
    boolean good = answer.status() == 200;
    assertThat(answer.text().contains("\"app\"")).as(answer.text()).isEqualTo(good);
    return answer.status();
  }

  /** A page may have its name resolve to the address of the server. */
  @Test
  void get_pageOfAnotherSite_learnsNothing() throws IOException {
    start();
    assertThat(status("evil.example:" + port)).isEqualTo(421);
    assertThat(status("evil.example", "Authorization: Bearer abc123")).isEqualTo(421);
    assertThat(status("localhost", "Origin: http://evil.example")).isEqualTo(403);
    assertThat(status("localhost", "Origin: null")).isEqualTo(403);
    assertThat(status("localhost", "Sec-Fetch-Site: cross-site")).isEqualTo(403);
    assertThat(status("localhost", "Sec-Fetch-Site: same-site")).isEqualTo(403);
    assertThat(status("127.0.0.1:" + port)).isEqualTo(200);
    assertThat(status("[::1]:" + port)).isEqualTo(200);
    assertThat(status("localhost:" + port, "Origin: http://localhost:" + port)).isEqualTo(200);
    assertThat(status("localhost", "Sec-Fetch-Site: none")).isEqualTo(200);
    String refused =
        RawHttp.send(port, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").text();
    assertThat(refused).contains("--allowed-host NAME");
  }

  @Test
  void get_allowedHostOrToken_isAnswered() throws IOException {
    start(ModelServerSettings.of(loopback(), null, false, null).allowing(Set.of("models.example")));
    assertThat(status("models.example:" + port)).isEqualTo(200);
    assertThat(status("models.example", "Origin: https://models.example")).isEqualTo(200);
    assertThat(status("other.example")).isEqualTo(421);
    stop();
    start(ModelServerSettings.of(loopback(), "abc123", false, null));
    String token = "Authorization: Bearer abc123";
    assertThat(status("behind.a.proxy.example", token)).isEqualTo(200);
    assertThat(status("evil.example")).isEqualTo(401);
  }

  @Test
  void settings_otherAddressWithoutToken_sayWhatToGive() {
    InetSocketAddress all = new InetSocketAddress("0.0.0.0", 0);
    assertThatThrownBy(() -> ModelServerSettings.of(all, null, false, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--token-file FILE")
        .hasMessageContaining("--insecure");
    assertThat(ModelServerSettings.of(all, "secret", false, null).toString())
        .doesNotContain("secret");
    assertThat(ModelServerSettings.of(all, null, true, null).insecure()).isTrue();
    assertThatThrownBy(() -> ModelServerSettings.of(loopback(), "two words", false, null))
        .hasMessageContaining("bearer token");
  }

  @Test
  void token_file_isOneLine() throws IOException {
    Path file = elsewhere.resolve("token");
    Files.writeString(file, "abc-123\n");
    assertThat(BearerToken.read(file)).isEqualTo("abc-123");
    for (String bad : List.of("", "\n", "two words", "a\nb", "x".repeat(10_000), "gehört")) {
      Files.writeString(file, bad);
      assertThatThrownBy(() -> BearerToken.read(file))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("holds no token");
    }
  }

  @Test
  void start_keyStore_servesOverTls() throws Exception {
    Path keys = KeyStores.keys(elsewhere.resolve("keys.p12"), "server");
    Path password = Files.writeString(elsewhere.resolve("password"), KeyStores.PASSWORD + "\n");
    start(ModelServerSettings.of(loopback(), "t0ken", false, ServerKeys.read(keys, password)));
    Path trusted = KeyStores.trusting(elsewhere.resolve("trusted.p12"), keys, "server");
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(KeyStore.getInstance(trusted.toFile(), KeyStores.PASSWORD.toCharArray()));
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(null, trust.getTrustManagers(), null);
    URI address = URI.create("https://localhost:" + port);
    HttpModelSettings of = HttpModelSettings.of(address, "t0ken");
    HttpModelSettings trusting =
        new HttpModelSettings(
            of.address(), "t0ken", of.connectTimeout(), of.answerTimeout(), 1, tls, null);
    try (HttpModelSource source = new HttpModelSource(trusting)) {
      ModelReader reader = new ModelReader(source);
      assertThat(Drafts.text(reader.load(reader.current("app", 0).orElseThrow())))
          .isEqualTo("content of the model");
    }
    try (HttpModelSource distrusting = new HttpModelSource(of)) {
      assertThatThrownBy(() -> new ModelReader(distrusting).current("app", 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("https://localhost:" + port);
    }
    Files.writeString(password, "wrong\n");
    assertThatThrownBy(() -> ServerKeys.read(keys, password))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("keys.p12")
        .hasMessageNotContaining("wrong\n");
  }

  /** A client that takes nothing is cut off, and its place is free again. */
  @Test
  void get_clientThatTakesNothing_isCutOff() throws IOException {
    ModelCheckpoint large = publishLarge();
    startWithLimits(1, Duration.ofMillis(500));
    String path = "/models/app/0/v0000000002/model.zip";
    try (Socket lazy = RawHttp.connect(port)) {
      lazy.getOutputStream()
          .write(
              ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                  .getBytes(StandardCharsets.ISO_8859_1));
      Awaitility.await().atMost(WAIT).until(() -> get(path, "Range: bytes=0-9").status() == 503);
      assertThat(get(path, "Range: bytes=0-9").header("Retry-After")).isIn("1", "");
      Awaitility.await().atMost(WAIT).until(() -> get(path, "Range: bytes=0-9").status() == 206);
      // What was in the buffers comes, the rest does not: the client notices.
      RawHttp.head(lazy.getInputStream());
      long taken = 0;
      try {
        taken = lazy.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
      } catch (IOException reset) {
        assertThat(reset).isNotNull();
      }
      assertThat(taken).isLessThan(LARGE_BYTES);
    }
    assertThat(get(path).body()).hasSize(LARGE_BYTES);
    assertThat(DigestUtils.sha256Hex(get(path).body()))
        .isEqualTo(large.manifest().files().get(0).sha256());
  }

  @Test
  void get_halfARequest_doesNotHoldAThreadForEver() throws IOException {
    startWithLimits(1, Duration.ofMillis(500));
    List<Socket> halves = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        Socket half = RawHttp.connect(port);
        half.getOutputStream().write("GET /mod".getBytes(StandardCharsets.ISO_8859_1));
        halves.add(half);
      }
      assertThat(get(VERSION + "model.zip").status()).isEqualTo(200);
      for (Socket half : halves) {
        assertThat(endOf(half)).isTrue();
      }
    } finally {
      for (Socket half : halves) {
        half.close();
      }
    }
  }

  private static boolean endOf(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (java.net.SocketTimeoutException open) {
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  /** A version that goes away while it is sent: what was opened is sent whole, or is cut. */
  @Test
  void get_fileThatBecomesShorter_endsTheConnection() throws IOException {
    ModelCheckpoint large = publishLarge();
    start();
    try (Socket socket = RawHttp.connect(port)) {
      socket
          .getOutputStream()
          .write(
              "GET /models/app/0/v0000000002/model.zip HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  .getBytes(StandardCharsets.ISO_8859_1));
      assertThat(RawHttp.head(socket.getInputStream())).contains("200 OK");
      try (var file =
          new java.io.RandomAccessFile(Path.of(large.file("model.zip")).toFile(), "rw")) {
        file.setLength(1);
      }
      long sent = socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
      assertThat(sent).isLessThan(LARGE_BYTES);
    }
  }

  @Test
  void publish_floodOfConnections_goesOn() throws Exception {
    startWithLimits(16, Duration.ofSeconds(1));
    Thread[] flood = new Thread[8];
    List<Socket> open = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int t = 0; t < flood.length; t++) {
      int mine = t;
      flood[t] =
          new Thread(
              () -> {
                for (int i = 0; i < 60; i++) {
                  try {
                    Socket socket = RawHttp.connect(port);
                    open.add(socket);
                    String request =
                        mine % 2 == 0
                            ? "GET /models/"
                            : "GET " + VERSION + "model.zip HTTP/1.1\r\nHost: localhost\r\n\r\n";
                    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
                  } catch (IOException refused) {
                    assertThat(refused).isNotNull();
                  }
                }
              });
      flood[t].start();
    }
    for (int version = 2; version <= 41; version++) {
      publisher.publish(Drafts.of(version, "content-" + version));
      publisher.cleanUp(3, Set.of());
    }
    for (Thread thread : flood) {
      thread.join();
    }
    long threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(it -> it.getName().startsWith("models-server-"))
            .count();
    // 16 transfers, 4 for short answers, one that watches; of this server.
    assertThat(threads).isLessThanOrEqualTo(21);
    for (Socket each : open) {
      each.close();
    }
    Awaitility.await()
        .atMost(WAIT)
        .ignoreExceptions()
        .until(() -> get("/models/app/0/v0000000041/model.zip").text().equals("content-41"));
  }

  @Test
  void close_server_endsItsThreads() throws IOException {
    start();
    for (int i = 0; i < 5; i++) {
      assertThat(get("/models/").status()).isEqualTo(200);
    }
    stop();
    server = null;
    Awaitility.await()
        .atMost(WAIT)
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(it -> it.getName().startsWith("models-server-")));
    assertThatThrownBy(() -> get("/models/")).isInstanceOf(IOException.class);
  }

  @Test
  void parse_routes_roundTrip() {
    ApplicationPartition of = new ApplicationPartition("app.x-1_y", 12);
    assertThat(Routes.parse("/models/app.x-1_y/12/v0000000003/a.b"))
        .contains(new Routes.VersionFile(of, 3, "a.b"));
    assertThat(Routes.parse("/models/app.x-1_y/12/v0000000003/")).contains(new Routes.Files(of, 3));
    assertThat(Routes.parse("/models/app.x-1_y/12/v123456789012/m"))
        .contains(new Routes.VersionFile(of, 123456789012L, "m"));
    assertThat(Arrays.asList("/models/app/0/v0000000003/..", "/models/a/1/x\n"))
        .allMatch(path -> Routes.parse(path).isEmpty());
  }
}
