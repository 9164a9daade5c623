package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.modelloader.network.SmallModels;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on models over HTTP, with a server that the command started. */
final class ModelsServeTest {
  private static final long LARGEST_PART = 32L << 30;
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final Path DOCUMENT = Path.of("../../docs/serving-http.md");
  private static final String APPLICATION =
      """
      name: electricity
      input:
        format: csv
        columns: [x, label]
        features: [x]
        label: label
        classes: ["0", "1"]
      model:
        type: mlp
        hidden: [2]
      """;

  private static final String FILE = "/models/electricity/0/v0000000001/model.zip";

  @TempDir Path folder;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final IdlaRun idla = new IdlaRun();
  private Path models;
  private ModelPublisher publisher;
  private ModelCheckpoint published;

  @BeforeEach
  void publish() throws IOException {
    models = folder.resolve("models");
    publisher = new ModelStore(models, InstantSource.system()).claim("electricity", 0);
    published = publishOne();
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private ModelCheckpoint publishOne() throws IOException {
    return publisher.publish(Drafts.of("electricity", SmallModels.files("x", List.of("0", "1"))));
  }

  private ServeCommand serve(Object... more) {
    List<Object> options = new ArrayList<>(List.of("--models-dir", models));
    options.addAll(List.of(more));
    return ServeCommand.start(threads, options.toArray());
  }

  @Test
  void commands_withStore_doWhatTheyDoWithAFolder() throws Exception {
    String url = serve().address();
    assertThat(idla.run("models list --store", url)).isZero();
    assertThat(idla.out()).contains("electricity/0", " * v1 ");
    assertThat(idla.run("models show electricity --store", url)).isZero();
    String manifest = Files.readString(Path.of(published.file("manifest.json")));
    assertThat(idla.out()).isEqualTo(manifest + System.lineSeparator());
    Path pulled = folder.resolve("pulled");
    assertThat(idla.run("models pull electricity", pulled, "--store", url)).isZero();
    for (String file : List.of("manifest.json", "model.zip", "spec.json")) {
      assertThat(pulled.resolve(file)).hasSameBinaryContentAs(Path.of(published.file(file)));
    }
    assertThat(idla.run("models follow electricity --count 1 --store", url)).isZero();
    assertThat(idla.out()).contains("electricity v1 loaded");
    Path app = Files.writeString(folder.resolve("app.yaml"), APPLICATION);
    Path input = Files.writeString(folder.resolve("input.csv"), "0.5,1\n-0.5,0\n");
    assertThat(idla.run("models evaluate", app, "--input", input, "--store", url))
        .as(idla.err())
        .isZero();
    assertThat(idla.out()).contains("\"version\":1,\"samples\":2");
    Files.writeString(Path.of(published.file("model.zip")), "damaged");
    assertThat(idla.run("models list --store", url)).isEqualTo(Terminal.FAILED);
    assertThat(idla.run("models show electricity --store", url)).isEqualTo(Terminal.FAILED);
    assertThat(idla.err()).contains("model.zip has 7 bytes", url);
  }

  private static List<String> copies(Path cache) throws IOException {
    try (Stream<Path> files = Files.walk(cache)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString().replaceFirst("^[0-9a-f]{64}-[0-9]+", ""))
          .toList();
    }
  }

  @Test
  void serve_withCacheFolders_readsFilesOfVersionsThroughThem() throws Exception {
    Path server = folder.resolve("cache/server");
    Path client = folder.resolve("cache/client");
    String url = serve("--cache-folder", server, "--cache-bytes", "1MiB").address();
    int files = published.manifest().files().size();
    for (int i = 0; i < 2; i++) {
      assertThat(
              idla.run(
                  "models follow electricity --count 1 --store", url, "--cache-folder", client))
          .as(idla.err())
          .isZero();
      assertThat(idla.out()).contains("electricity v1 loaded");
      assertThat(idla.err())
          .contains(
              "files read from the cache folder: %d; from the models' source: %d ("
                  .formatted(i == 0 ? 0 : files, i == 0 ? files : 0));
    }
    assertThat(copies(server)).hasSize(files).containsOnly(".copy");
    assertThat(copies(client)).hasSize(files).containsOnly(".copy");
  }

  private static HttpResponse<byte[]> get(URI url, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(url);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient()
        .send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  @Test
  void serve_rangeWithCacheFolder_makesNoCopy() throws Exception {
    Path cache = folder.resolve("cache");
    URI file = URI.create(serve("--cache-folder", cache).address()).resolve(FILE);
    HttpResponse<byte[]> part = get(file, "Range", "bytes=0-9999999");
    assertThat(part.statusCode()).isEqualTo(206);
    assertThat(part.body()).isEqualTo(Files.readAllBytes(Path.of(published.file("model.zip"))));
    assertThat(copies(cache)).isEmpty();
    assertThat(get(file).statusCode()).isEqualTo(200);
    assertThat(copies(cache)).containsExactly(".copy");
  }

  @Test
  void serve_fileThatAnotherProcessWrites_isReadWithoutWaiting() throws Exception {
    Path cache = folder.resolve("cache");
    URI file = URI.create(serve("--cache-folder", cache).address()).resolve(FILE);
    assertThat(get(file).statusCode()).isEqualTo(200);
    // The answer can come before the server has named the copy and given up its lock.
    Awaitility.await().until(() -> copies(cache).equals(List.of(".copy")));
    Path copy;
    try (Stream<Path> files = Files.walk(cache)) {
      copy = files.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
    Path part = Path.of(copy.toString().replace(".copy", ".part"));
    Files.move(copy, part);
    try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE);
        FileLock lock =
            Awaitility.await()
                .ignoreException(OverlappingFileLockException.class)
                .until(channel::tryLock, Objects::nonNull)) {
      // A server that waits for this file waits as long as it grows.
      CompletableFuture<HttpResponse<byte[]>> answering =
          HttpClient.newHttpClient()
              .sendAsync(
                  HttpRequest.newBuilder(file).build(), HttpResponse.BodyHandlers.ofByteArray());
      long grown = channel.size();
      while (!answering.isDone() && grown < LARGEST_PART) {
        grown += 1L << 20;
        channel.write(ByteBuffer.allocate(1), grown);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
      assertThat(grown).as("bytes of the file when the answer came").isLessThan(LARGEST_PART);
      HttpResponse<byte[]> answer = answering.join();
      assertThat(answer.body()).isEqualTo(Files.readAllBytes(Path.of(published.file("model.zip"))));
      assertThat(lock.isValid()).isTrue();
    }
    assertThat(copies(cache)).containsExactly(".part");
  }

  @Test
  void serve_cacheOptionsThatMakeNoSense_areRefused() {
    assertThat(idla.run("models serve --models-dir", models, "--cache-bytes 1GiB")).isEqualTo(2);
    assertThat(idla.err()).contains("--cache-bytes needs --cache-folder DIR");
    for (String size : List.of("0", "many", "1GB")) {
      assertThat(
              idla.run(
                  "models serve --models-dir",
                  models,
                  "--cache-folder",
                  folder,
                  "--cache-bytes",
                  size))
          .isEqualTo(2);
      assertThat(idla.err()).contains("--cache-bytes");
    }
  }

  @Test
  void serve_token_isAskedFor() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "abc123\n");
    String url = serve("--token-file", token.toString()).address();
    assertThat(idla.run("models list --store", url)).isEqualTo(Terminal.FAILED);
    assertThat(idla.err()).contains("401", "--store-token-file FILE");
    assertThat(idla.run("models list --store", url, "--store-token-file", token)).isZero();
    assertThat(idla.out() + idla.err()).doesNotContain("abc123");
  }

  @Test
  void serve_allowedHost_isAnswered() throws Exception {
    String hosts = "--allowed-host models.example --allowed-host b.example";
    for (String options : List.of(hosts, hosts + " --predict electricity")) {
      URI address = URI.create(serve(options).address());
      assertThat(status(address, "models.example:8090")).contains(" 200 ");
      assertThat(status(address, "B.example")).contains(" 200 ");
      assertThat(status(address, "evil.example")).contains(" 421 ");
    }
  }

  private static String status(URI address, String host) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      String request =
          "HEAD %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
              .formatted(address.getPath(), host);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return answer.lines().findFirst().orElse("none");
    }
  }

  @Test
  void serve_stopped_endsWell() throws Exception {
    ServeCommand started = serve();
    threads.shutdownNow();
    Awaitility.await().atMost(WAIT).until(() -> started.ended().isDone());
    assertThat(started.idla().out() + started.idla().err())
        .contains("serving the models in " + models, "stopped");
    assertThat(idla.run("models list --store", started.address())).isEqualTo(Terminal.FAILED);
    assertThat(idla.err()).contains(started.address());
  }

  @Test
  void commands_wrongUse_sayWhatToDo() throws IOException {
    String serve = "models serve --models-dir " + models;
    Path empty = Files.writeString(folder.resolve("empty"), "");
    String none = folder.resolve("none").toString();
    idla.assertUsage("--work-dir DIR or --models-dir DIR; or --store URL", "models list");
    idla.assertUsage("--work-dir DIR or --models-dir DIR", "models serve");
    idla.assertUsage("0 or more", "models show x --models-dir", models, "--partition -1");
    idla.assertUsage("is not a name", "models follow ../x --models-dir", models);
    idla.assertUsage("name one place", "models list --store http://x/ --models-dir", models);
    idla.assertUsage("http://HOST:PORT/models/", "models list --store ftp://x/");
    idla.assertUsage("--store: ", "models list --store", List.of("http://a b/"));
    idla.assertUsage("is named with --models-dir", "models list --store", models);
    idla.assertUsage(
        "needs --store URL", "models list --models-dir", models, "--store-token-file", none);
    idla.assertUsage(
        "there is no file " + none, "models list --store http://x/ --store-token-file", none);
    idla.assertUsage("holds no token", serve, "--token-file", empty);
    idla.assertUsage("--token-file FILE", serve, "--host 0.0.0.0");
    idla.assertUsage("no host", serve, "--host nowhere.invalid");
    idla.assertUsage("0 to 65535", serve, "--port 65536");
    idla.assertUsage("go together", serve, "--key-store", none);
    idla.assertUsage(
        "there is no file", serve, "--key-store", none, "--key-store-password-file", empty);
    idla.assertUsage(
        "--key-store: ", serve, "--key-store", empty, "--key-store-password-file", empty);
    idla.assertUsage(
        "--allowed-host: 'a:80' is not a name of a host", serve, "--allowed-host a:80");
    Path token = Files.writeString(folder.resolve("token"), "abc123");
    idla.assertUsage("leave --allowed-host out", serve, "--allowed-host a --token-file", token);
    idla.assertUsage("either --insecure or --token-file", serve, "--insecure --token-file", empty);
  }

  /** Every line of the document's walk-through is run as it stands, but for the address. */
  @Test
  void walkThrough_ofTheDocument_works() throws Exception {
    String text = Files.readString(DOCUMENT);
    String section = text.substring(text.indexOf("\n## Over HTTP\n"));
    List<String> blocks =
        Pattern.compile("```bash\n(.*?)```", Pattern.DOTALL)
            .matcher(section)
            .results()
            .map(it -> it.group(1))
            .toList();
    assertThat(blocks).hasSize(1);
    String script = blocks.get(0);
    String documented = "http://127.0.0.1:8090/models";
    assertThat(script).startsWith("url=" + documented + "\n");
    String url = serve().address();
    Path commands =
        Files.writeString(
            folder.resolve("walk-through.sh"),
            "set -euo pipefail\nset -x\n"
                + script.replace(documented, url.substring(0, url.length() - 1)));
    Path output = folder.resolve("output.txt");
    Path work = Files.createDirectories(folder.resolve("work"));
    Process bash =
        new ProcessBuilder("bash", commands.toString())
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(bash.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      bash.destroyForcibly();
    }
    String said = Files.readString(output);
    assertThat(bash.exitValue()).as(said).isZero();
    long curls = script.lines().filter(line -> line.startsWith("curl ")).count();
    assertThat(curls).isEqualTo(9);
    // What was printed before may have ended without a new line.
    assertThat(Pattern.compile("\\+ curl -").matcher(said).results().count()).isEqualTo(curls);
    assertThat(said).contains("304\n", "HTTP/1.1 200 OK", "\"versions\":[1]");
    assertThat(work.resolve("model.zip"))
        .hasSameBinaryContentAs(Path.of(published.file("model.zip")));
  }
}
