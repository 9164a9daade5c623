package io.idlalayer.middleware.models.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.testkit.Tries;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HttpModelSourceTest {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final String SECOND = "/v0000000002/";
  private static final int ROWS_BYTES = 300_000;

  @TempDir Path root;
  @TempDir Path elsewhere;
  private ModelPublisher publisher;
  private ModelServer server;
  private FaultyServer faulty;
  private HttpModelSource source;
  private ModelReader reader;

  @BeforeEach
  void start() throws IOException {
    publisher = new ModelStore(root, InstantSource.system()).claim("app", 0);
    server =
        ModelServer.start(
            ModelStore.confined(root),
            ModelServerSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, false, null));
    faulty = new FaultyServer(server.address().getPort());
    source = new HttpModelSource(settings(Duration.ofSeconds(10), 2));
    reader = new ModelReader(source);
  }

  private HttpModelSettings settings(Duration answer, int resumes) {
    return new HttpModelSettings(
        faulty.address(), null, Duration.ofSeconds(10), answer, resumes, null, null);
  }

  @AfterEach
  void stop() throws IOException {
    source.close();
    faulty.close();
    server.close();
  }

  private Path rows(int seed, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new SplittableRandom(seed).nextBytes(content);
    return Files.write(elsewhere.resolve("rows-" + seed), content);
  }

  private ModelCheckpoint publishRows(@org.jspecify.annotations.Nullable ModelCheckpoint parent)
      throws IOException {
    return publisher.publish(
        Drafts.withRows(
            parent,
            parent == null ? ModelManifest.FULL_ROWS : ModelManifest.ROW_CHANGES,
            rows(parent == null ? 1 : 2, ROWS_BYTES)));
  }

  /** Reads everything that a version has, its chain too. */
  private static final class WholeLoader implements ModelLoader<String> {
    @Override
    public String load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
      return "v" + checkpoint.manifest().version();
    }

    @Override
    public String load(LoadRequest<String> request) throws IOException {
      for (ModelCheckpoint link : request.chain()) {
        try (InputStream in = request.rows(link)) {
          in.transferTo(java.io.OutputStream.nullOutputStream());
        }
      }
      return load(request.checkpoint(), request.files());
    }
  }

  private static ModelSubscriber.Subscription subscription(ModelReader reader) {
    return new ModelSubscriber.Subscription(reader, "app", 0, Duration.ofMinutes(1));
  }

  private static ModelSubscriber<String> follow(ModelSubscriber.Subscription subscription) {
    return new ModelSubscriber<>(subscription, new WholeLoader(), InstantSource.system());
  }

  private static String serving(ModelSubscriber<String> subscriber) {
    try (ModelLease<String> lease = subscriber.acquire()) {
      return lease.model();
    }
  }

  private static byte[] flipped(byte[] body) {
    byte[] bad = body.clone();
    bad[bad.length / 2] ^= 1;
    return bad;
  }

  private static String withLength(String head, int bytes) {
    return head.replaceFirst("(?i)content-length: *\\d+", "Content-Length: " + bytes);
  }

  private static RawHttp.Answer body(RawHttp.Answer answer, byte[] body) {
    return new RawHttp.Answer(withLength(answer.head(), body.length), body);
  }

  private static FaultyServer.Fault on(String part, FaultyServer.Fault fault) {
    return (request, answer, out) -> {
      if (request.path().contains(part)) {
        fault.send(request, answer, out);
      } else {
        out.write(answer);
      }
    };
  }

  private static FaultyServer.Fault status(int status, String... headers) {
    return (request, answer, out) ->
        out.text(
            "HTTP/1.1 %d X\r\nContent-Length: 0\r\nConnection: close\r\n%s\r\n"
                .formatted(
                    status,
                    Arrays.stream(headers).map(it -> it + "\r\n").reduce("", String::concat)));
  }

  /** Every way to spoil an answer, for each kind of answer. */
  private static Map<String, FaultyServer.Fault> faults() {
    Map<String, FaultyServer.Fault> ways = new LinkedHashMap<>();
    ways.put("bit flip", (request, good, out) -> out.write(body(good, flipped(good.body()))));
    ways.put(
        "cut",
        (request, good, out) -> {
          out.text(good.head());
          out.bytes(Arrays.copyOf(good.body(), Math.min(good.body().length - 1, 10)));
        });
    ways.put(
        "length too short",
        (request, good, out) ->
            out.write(body(good, Arrays.copyOf(good.body(), good.body().length / 2))));
    ways.put(
        "length too long",
        (request, good, out) ->
            out.write(
                new RawHttp.Answer(withLength(good.head(), good.body().length + 7), good.body())));
    ways.put(
        "too much",
        (request, good, out) -> {
          byte[] more = Arrays.copyOf(good.body(), good.body().length + 7);
          Arrays.fill(more, good.body().length, more.length, (byte) 'x');
          out.write(body(good, more));
        });
    ways.put("empty", (request, good, out) -> out.write(body(good, new byte[0])));
    ways.put("zeros", (request, good, out) -> out.write(body(good, new byte[good.body().length])));
    ways.put("closed at once", (request, good, out) -> {});
    ways.put("no HTTP", (request, good, out) -> out.text("SSH-2.0-OpenSSH_9.2p1\r\n\r\n"));
    ways.put("half a head", (request, good, out) -> out.text("HTTP/1.1 200 OK\r\nContent-Le"));
    ways.put("404 of another server", status(404));
    ways.put("500", status(500));
    ways.put("503", status(503, "Retry-After: 1"));
    ways.put("401", status(401));
    ways.put("redirect", status(302, "Location: http://127.0.0.1:1/models/"));
    ways.put("204", status(204));
    ways.put(
        "304 unasked",
        (request, good, out) -> out.text("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"));
    ways.put(
        "206 unasked",
        (request, good, out) ->
            out.write(
                new RawHttp.Answer(good.head().replaceFirst("200 OK", "206 P"), good.body())));
    return ways;
  }

  @Test
  void refresh_anyAnswerSpoilt_isRefusedAndTheOldVersionServesOn() throws IOException {
    ModelCheckpoint first = publishRows(null);
    // The gate spoils each answer in every third way, beginning with another one each time.
    int stride = Tries.choose(3, 1);
    int part = 0;
    int refused = 0;
    for (String target :
        List.of(
            "current.json",
            SECOND + "manifest.json",
            SECOND + "model.zip",
            SECOND + "rows.bin",
            "/v0000000002/",
            "/v0000000001/rows.bin")) {
      int way = part++;
      for (Map.Entry<String, FaultyServer.Fault> each : faults().entrySet()) {
        if (way++ % stride != 0) {
          continue;
        }
        if (target.endsWith("2/") && each.getKey().equals("length too short")) {
          continue; // Cut JSON, as with "cut".
        }
        String what = each.getKey() + " of " + target;
        try (HttpModelSource fresh = new HttpModelSource(settings(Duration.ofSeconds(10), 1));
            ModelSubscriber<String> subscriber = follow(subscription(new ModelReader(fresh)))) {
          faulty.fault = (request, answer, out) -> out.write(answer);
          if (Files.exists(root.resolve("app/0/v0000000002"))) {
            unpublishSecond();
          }
          assertThat(subscriber.refresh()).as(what).isTrue();
          publishRows(first);
          faulty.fault = on(target, each.getValue());
          if (what.equals("304 unasked of current.json")) {
            // The server answers that the pointer has not moved.
            assertThat(subscriber.refresh()).as(what).isFalse();
          } else {
            assertThatThrownBy(subscriber::refresh, what)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("http://127.0.0.1:");
          }
          assertThat(serving(subscriber)).as(what).isEqualTo("v1");
          refused++;
          faulty.fault = (request, answer, out) -> out.write(answer);
          assertThat(subscriber.refresh()).as(what).isTrue();
          assertThat(serving(subscriber)).as(what).isEqualTo("v2");
        }
      }
    }
    assertThat(refused).isGreaterThan(100 / stride);
  }

  /** Back to the first version, as if the second had never been. */
  private void unpublishSecond() throws IOException {
    Path folder = root.resolve("app/0");
    try (var files = Files.walk(folder)) {
      for (Path file :
          files
              .filter(it -> !it.equals(folder) && !it.startsWith(folder.resolve("v0000000001")))
              .sorted(java.util.Comparator.reverseOrder())
              .toList()) {
        Files.delete(file);
      }
    }
    publisher = new ModelStore(root, InstantSource.system()).claim("app", 0);
  }

  @Test
  void refresh_stalePointerOrOtherVersion_neverGoesBack() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    byte[] old = Files.readAllBytes(Drafts.pointer(root.resolve("app/0"), publisher));
    publisher.publish(Drafts.of(2, "two"));
    try (ModelSubscriber<String> subscriber = follow(subscription(reader))) {
      assertThat(subscriber.refresh()).isTrue();
      faulty.fault =
          on(
              "current.json",
              (request, good, out) ->
                  out.write(
                      new RawHttp.Answer(
                          "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                              .formatted(old.length),
                          old)));
      assertThat(subscriber.refresh()).isFalse();
      assertThat(serving(subscriber)).isEqualTo("v2");
      faulty.fault = (request, good, out) -> out.write(good);
      publisher.publish(Drafts.of(3, "three"));
      // The files of the second version under the name of the third.
      faulty.fault =
          (request, good, out) -> {
            if (request.path().contains("/v0000000003/")) {
              out.write(
                  RawHttp.ask(
                      server.address().getPort(), "GET", request.path().replace("0003/", "0002/")));
            } else {
              out.write(good);
            }
          };
      assertThatThrownBy(subscriber::refresh).isInstanceOf(CorruptModelException.class);
      assertThat(serving(subscriber)).isEqualTo("v2");
    }
  }

  @Test
  void chain_versionSkipped_isRefused() throws IOException {
    ModelCheckpoint first = publishRows(null);
    ModelCheckpoint second = publishRows(first);
    publishRows(second);
    ModelCheckpoint third = reader.current("app", 0).orElseThrow();
    faulty.fault = on(SECOND, status(404, ModelServer.FORMAT_HEADER + ": 1"));
    assertThatThrownBy(() -> reader.chain(third))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("version 3 needs the rows")
        .hasMessageContaining("version 2 is not there");
  }

  @Test
  void read_serverThatStalls_failsInTime() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    try (HttpModelSource impatient = new HttpModelSource(settings(Duration.ofSeconds(1), 1))) {
      ModelReader patient = new ModelReader(impatient);
      faulty.fault = (request, good, out) -> out.stall();
      assertThatThrownBy(() -> patient.current("app", 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("current.json");
      faulty.fault =
          (request, good, out) -> {
            out.text(good.head());
            out.bytes(Arrays.copyOf(good.body(), 5));
            out.stall();
          };
      assertThatThrownBy(() -> patient.current("app", 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the server sent less than 65536 bytes in 1000 ms");
    }
  }

  @Test
  void read_endlessText_isRefusedAtItsBound() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    AtomicInteger parts = new AtomicInteger();
    faulty.fault =
        (request, good, out) -> {
          out.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
          byte[] part = new byte[1 << 20];
          while (true) {
            parts.incrementAndGet();
            out.text("100000\r\n");
            out.bytes(part);
            out.text("\r\n");
          }
        };
    for (String what : List.of("pointer", "list")) {
      assertThatThrownBy(
              () -> {
                if (what.equals("pointer")) {
                  reader.current("app", 0);
                } else {
                  reader.applications();
                }
              })
          .isInstanceOf(CorruptModelException.class)
          .hasMessageContaining("more than 16777216 bytes");
    }
    // What is in the buffers of sockets beside.
    assertThat(parts.get()).isLessThan(100);
  }

  @Test
  void lists_garbage_areRefusedWithTheAddress() throws IOException {
    for (String garbage :
        List.of(
            "",
            "null",
            "[]",
            "{}",
            "<html>",
            "{\"formatVersion\":2,\"applications\":[],\"versions\":[],\"files\":[]}",
            "{\"formatVersion\":1,\"applications\":[null],\"versions\":[null],\"files\":[null]}",
            "{\"formatVersion\":1,\"applications\":[{\"application\":\"../x\",\"partitions\":[0]}],"
                + "\"versions\":[\"x\"],\"files\":[{\"name\":null,\"bytes\":1}]}")) {
      faulty.fault =
          (request, good, out) -> {
            byte[] body = garbage.getBytes(StandardCharsets.UTF_8);
            out.text(
                "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                    .formatted(body.length));
            out.bytes(body);
          };
      ApplicationPartition of = new ApplicationPartition("app", 0);
      assertThatThrownBy(() -> source.applications())
          .as(garbage)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("/models/ is not a list of models");
      assertThatThrownBy(() -> source.versions(of)).as(garbage).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> source.files(of, 1)).as(garbage).isInstanceOf(IOException.class);
    }
  }

  /** Sends a number of bytes of each answer, then nothing, and closes. */
  private static FaultyServer.Fault cutAfter(int bytes) {
    return on(
        "rows.bin",
        (request, good, out) -> {
          out.text(good.head());
          out.bytes(Arrays.copyOf(good.body(), Math.min(bytes, good.body().length)));
        });
  }

  @Test
  void open_connectionCut_goesOnWhereItEnded() throws IOException {
    ModelCheckpoint published = publishRows(null);
    ModelCheckpoint current = reader.current("app", 0).orElseThrow();
    faulty.fault = cutAfter(120_000);
    byte[] read;
    try (InputStream in = reader.open(current)) {
      read = in.readAllBytes();
    }
    assertThat(read).isEqualTo(Files.readAllBytes(Path.of(published.file("rows.bin"))));
    List<String> asked = faulty.requests.stream().filter(it -> it.contains("rows.bin")).toList();
    assertThat(asked).hasSize(3);
    assertThat(asked.get(0)).doesNotContainIgnoringCase("range:");
    assertThat(asked.get(1)).containsIgnoringCase("range: bytes=").containsIgnoringCase("if-range");
  }

  @Test
  void open_connectionCutTooOften_fails() throws IOException {
    publishRows(null);
    ModelCheckpoint current = reader.current("app", 0).orElseThrow();
    faulty.fault = cutAfter(60_000);
    try (InputStream in = reader.open(current)) {
      assertThatThrownBy(in::readAllBytes)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("rows.bin was cut off after")
          .hasMessageContaining("again and again");
    }
    assertThat(faulty.requests.stream().filter(it -> it.contains("rows.bin"))).hasSize(3);
  }

  @Test
  void open_otherAnswerToAResume_isRefused() throws IOException {
    publishRows(null);
    ModelCheckpoint current = reader.current("app", 0).orElseThrow();
    Map<String, FaultyServer.Fault> answers = new LinkedHashMap<>();
    answers.put(
        "another file",
        (request, good, out) ->
            out.write(new RawHttp.Answer(good.head().replaceFirst("\"..", "\"zz"), good.body())));
    answers.put(
        "another part",
        (request, good, out) ->
            out.write(
                new RawHttp.Answer(
                    good.head().replaceFirst("bytes \\d+-", "bytes 5-"), good.body())));
    answers.put(
        "all of it",
        (request, good, out) ->
            out.write(RawHttp.ask(server.address().getPort(), "GET", request.path())));
    answers.put("failure", status(500));
    for (Map.Entry<String, FaultyServer.Fault> each : answers.entrySet()) {
      faulty.fault =
          (request, good, out) -> {
            if (request.header("Range").isEmpty()) {
              cutAfter(1_000).send(request, good, out);
            } else {
              each.getValue().send(request, good, out);
            }
          };
      try (InputStream in = reader.open(current)) {
        assertThatThrownBy(in::readAllBytes).as(each.getKey()).isInstanceOf(IOException.class);
      }
    }
  }

  /** A version that was deleted during a read has newer ones, as with a folder. */
  @Test
  void refresh_versionDeletedWhileItIsRead_takesTheNewerOne() throws IOException {
    publishRows(null);
    AtomicInteger deleted = new AtomicInteger();
    faulty.fault =
        on(
            "/v0000000001/rows.bin",
            (request, good, out) -> {
              if (deleted.getAndIncrement() == 0) {
                publisher.publish(Drafts.of(2, "two"));
                publisher.cleanUp(1, Set.of());
                cutAfter(1_000).send(request, good, out);
              } else {
                out.write(good);
              }
            });
    try (ModelSubscriber<String> subscriber = follow(subscription(reader))) {
      assertThat(subscriber.refresh()).isTrue();
      assertThat(serving(subscriber)).isEqualTo("v2");
    }
    assertThat(deleted.get()).isEqualTo(2);
  }

  private void assertAsks(ModelSubscriber.Subscription subscription, String file)
      throws IOException {
    try (ModelSubscriber<String> subscriber = follow(subscription)) {
      subscriber.refresh();
      faulty.requests.clear();
      AtomicInteger unchanged = new AtomicInteger();
      faulty.fault =
          (request, good, out) -> {
            unchanged.addAndGet(good.status() == 304 && good.body().length == 0 ? 1 : 0);
            out.write(good);
          };
      for (int i = 0; i < 5; i++) {
        assertThat(subscriber.refresh()).isFalse();
      }
      assertThat(faulty.requests).hasSize(5).allMatch(it -> it.contains(file));
      assertThat(unchanged.get()).isEqualTo(5);
    }
  }

  @Test
  void refresh_nothingNewOrAnAliasThatStays_isOneRequestWithoutABody() throws IOException {
    ModelCheckpoint published = publishRows(null);
    assertAsks(subscription(reader), "current.json");
    new ModelStore(root, InstantSource.system()).alias("champion", published);
    assertAsks(subscription(reader).with("champion"), "aliases.json");
  }

  @Test
  void send_failures_sayWhatToDo() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    faulty.fault = status(401, "WWW-Authenticate: Bearer");
    assertThatThrownBy(() -> reader.current("app", 0))
        .isInstanceOfSatisfying(
            HttpStatusException.class, it -> assertThat(it.status()).isEqualTo(401))
        .hasMessageContaining("/models/app/0/current.json")
        .hasMessageContaining("--store-token-file");
    faulty.fault = status(302, "Location: http://evil/x");
    assertThatThrownBy(() -> reader.current("app", 0))
        .hasMessageContaining("redirects are not followed");
    assertThat(faulty.requests).hasSize(2);
    faulty.fault = status(404);
    assertThatThrownBy(() -> reader.current("app", 0))
        .hasMessageContaining("not a server of models");
    faulty.fault = status(503, "Retry-After: 7");
    assertThatThrownBy(() -> reader.current("app", 0)).hasMessageContaining("try again in 7 s");
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    URI nobody = URI.create("http://127.0.0.1:" + free);
    try (HttpModelSource none = new HttpModelSource(HttpModelSettings.of(nobody, null))) {
      assertThatThrownBy(() -> new ModelReader(none).current("app", 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("127.0.0.1:" + free);
    }
  }

  @Test
  void settings_addresses_areCheckedAndCompleted() {
    assertThat(HttpModelSettings.of(URI.create("http://host:1"), null).address())
        .hasToString("http://host:1/models/");
    assertThat(HttpModelSettings.of(URI.create("https://host/a/models"), null).address())
        .hasToString("https://host/a/models/");
    for (String bad :
        List.of(
            "ftp://host/",
            "host:80",
            "/folder",
            "http:///x",
            "http://u:secret@host/",
            "http://host/?a",
            "http://host/#a")) {
      assertThatThrownBy(() -> HttpModelSettings.of(URI.create(bad), null))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("http://HOST:PORT/models/")
          .hasMessageNotContaining("secret");
    }
    assertThat(HttpModelSettings.of(URI.create("http://host"), "secret").toString())
        .doesNotContain("secret");
  }

  private static ModelManifest.ModelFile named(String name) {
    return new ModelManifest.ModelFile(name, ROWS_BYTES, "");
  }

  @Test
  void open_from_skipsWhatIsBefore() throws IOException {
    ModelCheckpoint published = publishRows(null);
    byte[] whole = Files.readAllBytes(Path.of(published.file("rows.bin")));
    ApplicationPartition of = new ApplicationPartition("app", 0);
    try (InputStream in = source.open(of, 1, named("rows.bin"), 1_000)) {
      assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(whole, 1_000, whole.length));
    }
    assertThatThrownBy(() -> source.open(of, 1, named("none.bin"), 0))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> source.open(of, 1, named("../x"), 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static long clientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            it -> it.getName().startsWith("models-http-") || it.getName().startsWith("HttpClient-"))
        .count();
  }

  @Test
  void shutDown_since21_canBeDone() {
    assertThat(HttpModelSource.shutDown(HttpClient.newHttpClient()))
        .isEqualTo(Runtime.version().feature() >= 21);
  }

  /** The JDK's own thread ends when its client is collected, on a Java before 21. */
  @Test
  void close_manySources_leaveNoThread() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    source.close();
    for (int i = 0; i < 20; i++) {
      try (HttpModelSource each = new HttpModelSource(settings(Duration.ofSeconds(10), 1))) {
        ModelReader own = new ModelReader(each);
        own.load(own.current("app", 0).orElseThrow());
      }
    }
    boolean collected = Runtime.version().feature() < 21;
    Awaitility.await()
        .atMost(WAIT)
        .until(
            () -> {
              if (collected) {
                System.gc();
              }
              return clientThreads() == 0;
            });
    assertThatThrownBy(() -> reader.current("app", 0)).hasMessageContaining("was closed");
  }
}
