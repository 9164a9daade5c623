package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands on models over HTTP, with a server that the command started. */
final class ModelsServeTest {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final Path DOCUMENT = Path.of("../../docs/serving.md");
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

  @TempDir Path folder;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path models;
  private ModelPublisher publisher;
  private ModelCheckpoint published;

  /** A server and how it says goodbye. */
  private record Served(String address, Future<Integer> ended, StringWriter said) {}

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
    return publisher.publish(
        SmallModels.draft("electricity", SmallModels.files("x", List.of("0", "1"))));
  }

  private static int run(StringWriter out, StringWriter err, String... arguments) {
    CommandLine line = Idla.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private int run(String... arguments) {
    return run(out, err, arguments);
  }

  private Served serve(String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("models", "serve", "--models-dir", models.toString()));
    arguments.addAll(List.of(more));
    StringWriter said = new StringWriter();
    Future<Integer> ended = threads.submit(() -> run(said, said, arguments.toArray(String[]::new)));
    Awaitility.await().atMost(WAIT).until(() -> said.toString().contains("\n"));
    Matcher address = Pattern.compile(" at (http\\S+)").matcher(said.toString());
    assertThat(address.find()).as(said.toString()).isTrue();
    return new Served(address.group(1), ended, said);
  }

  @Test
  void commands_withStore_doWhatTheyDoWithAFolder() throws Exception {
    String url = serve().address();
    assertThat(run("models", "list", "--store", url)).isZero();
    assertThat(out.toString()).contains("electricity/0", " * v1 ");
    out.getBuffer().setLength(0);
    assertThat(run("models", "show", "electricity", "--store", url)).isZero();
    String manifest = Files.readString(Path.of(published.file("manifest.json")));
    assertThat(out.toString()).isEqualTo(manifest + System.lineSeparator());
    Path pulled = folder.resolve("pulled");
    assertThat(run("models", "pull", "electricity", pulled.toString(), "--store", url)).isZero();
    for (String file : List.of("manifest.json", "model.zip", "spec.json")) {
      assertThat(pulled.resolve(file)).hasSameBinaryContentAs(Path.of(published.file(file)));
    }
    assertThat(run("models", "follow", "electricity", "--count", "1", "--store", url)).isZero();
    assertThat(out.toString()).contains("electricity v1 loaded");
    Path app = Files.writeString(folder.resolve("app.yaml"), APPLICATION);
    Path input = Files.writeString(folder.resolve("input.csv"), "0.5,1\n-0.5,0\n");
    assertThat(
            run("models", "evaluate", app.toString(), "--input", input.toString(), "--store", url))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).contains("\"version\":1,\"samples\":2");
    Files.writeString(Path.of(published.file("model.zip")), "damaged");
    assertThat(run("models", "list", "--store", url)).isEqualTo(Terminal.FAILED);
    assertThat(run("models", "show", "electricity", "--store", url)).isEqualTo(Terminal.FAILED);
    assertThat(err.toString()).contains("model.zip has 7 bytes", url);
  }

  @Test
  void serve_token_isAskedFor() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "abc123\n");
    String url = serve("--token-file", token.toString()).address();
    assertThat(run("models", "list", "--store", url)).isEqualTo(Terminal.FAILED);
    assertThat(err.toString()).contains("401", "--store-token-file FILE");
    assertThat(run("models", "list", "--store", url, "--store-token-file", token.toString()))
        .isZero();
    assertThat(out.toString() + err).doesNotContain("abc123");
  }

  @Test
  void serve_allowedHost_isAnswered() throws Exception {
    for (String[] more : new String[][] {{}, {"--predict", "electricity"}}) {
      List<String> arguments = new ArrayList<>(List.of(more));
      arguments.addAll(List.of("--allowed-host", "models.example", "--allowed-host", "b.example"));
      URI address = URI.create(serve(arguments.toArray(String[]::new)).address());
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
    Served started = serve();
    threads.shutdownNow();
    Awaitility.await().atMost(WAIT).until(() -> started.ended().isDone());
    assertThat(started.said().toString()).contains("serving the models in " + models, "stopped");
    assertThat(run("models", "list", "--store", started.address())).isEqualTo(Terminal.FAILED);
    assertThat(err.toString()).contains(started.address());
  }

  private void assertUsage(String message, String... arguments) {
    err.getBuffer().setLength(0);
    assertThat(run(arguments)).as(String.join(" ", arguments)).isEqualTo(Terminal.BAD_USAGE);
    assertThat(err.toString()).contains(message);
  }

  @Test
  void commands_wrongUse_sayWhatToDo() throws IOException {
    String dir = models.toString();
    Path empty = Files.writeString(folder.resolve("empty"), "");
    String none = folder.resolve("none").toString();
    assertUsage("--work-dir DIR or --models-dir DIR; or --store URL", "models", "list");
    assertUsage("--work-dir DIR or --models-dir DIR", "models", "serve");
    assertUsage("0 or more", "models", "show", "x", "--models-dir", dir, "--partition", "-1");
    assertUsage("is no name", "models", "follow", "../x", "--models-dir", dir);
    assertUsage("name one place", "models", "list", "--store", "http://x/", "--models-dir", dir);
    assertUsage("http://HOST:PORT/models/", "models", "list", "--store", "ftp://x/");
    assertUsage("--store: ", "models", "list", "--store", "http://a b/");
    assertUsage(
        "needs --store URL", "models", "list", "--models-dir", dir, "--store-token-file", none);
    assertUsage(
        "there is no file " + none,
        "models",
        "list",
        "--store",
        "http://x/",
        "--store-token-file",
        none);
    assertUsage(
        "holds no token", "models", "serve", "--models-dir", dir, "--token-file", empty.toString());
    assertUsage("--token-file FILE", "models", "serve", "--models-dir", dir, "--host", "0.0.0.0");
    assertUsage("no host", "models", "serve", "--models-dir", dir, "--host", "nowhere.invalid");
    assertUsage("0 to 65535", "models", "serve", "--models-dir", dir, "--port", "65536");
    assertUsage("go together", "models", "serve", "--models-dir", dir, "--key-store", none);
    assertUsage(
        "there is no file",
        "models",
        "serve",
        "--models-dir",
        dir,
        "--key-store",
        none,
        "--key-store-password-file",
        empty.toString());
    assertUsage(
        "--key-store: ",
        "models",
        "serve",
        "--models-dir",
        dir,
        "--key-store",
        empty.toString(),
        "--key-store-password-file",
        empty.toString());
    assertUsage(
        "--allowed-host: 'a:80' is no name of a host",
        "models",
        "serve",
        "--models-dir",
        dir,
        "--allowed-host",
        "a:80");
    Path token = Files.writeString(folder.resolve("token"), "abc123");
    assertUsage(
        "leave --allowed-host out",
        "models",
        "serve",
        "--models-dir",
        dir,
        "--allowed-host",
        "a",
        "--token-file",
        token.toString());
    assertUsage(
        "either --insecure or --token-file",
        "models",
        "serve",
        "--models-dir",
        dir,
        "--insecure",
        "--token-file",
        empty.toString());
  }

  /** Every line of the document's walk-through is run as it stands, but for the address. */
  @Test
  void walkThrough_ofTheDocument_works() throws Exception {
    String text = Files.readString(DOCUMENT);
    String section = text.substring(text.indexOf("\n## Over HTTP\n"));
    section = section.substring(0, section.indexOf("\n## ", 5));
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
