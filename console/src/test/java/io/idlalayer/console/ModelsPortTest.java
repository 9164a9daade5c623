package io.idlalayer.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelReader;
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
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The files of the models on a port beside the page. */
final class ModelsPortTest {
  private static final Pattern MODELS = Pattern.compile("models at (\\S+)");
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path folder;
  private final AtomicBoolean stop = new AtomicBoolean();
  private final StringWriter out = new StringWriter();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private Path recording;

  @BeforeEach
  void publish() throws IOException {
    recording = Files.createFile(folder.resolve("recording.jsonl"));
    new ModelStore(folder.resolve("models"), InstantSource.system())
        .claim("clicks", 0)
        .publish(Drafts.of("clicks", Map.of("model.zip", new byte[] {1, 2, 3})));
  }

  @AfterEach
  void end() {
    stop.set(true);
    threads.shutdownNow();
  }

  private Future<Integer> start(String more) {
    ConsoleMain main = new ConsoleMain();
    CommandLine line = new CommandLine(main);
    line.setOut(new PrintWriter(out, true));
    line.parseArgs(ConsoleLine.arguments("--port 0 --recording", recording, more));
    return threads.submit(() -> main.run(stop::get));
  }

  private URI address() {
    await().atMost(LONG).until(() -> MODELS.matcher(out.toString()).find());
    Matcher said = MODELS.matcher(out.toString());
    assertThat(said.find()).isTrue();
    return URI.create(said.group(1));
  }

  private static byte[] read(URI address, @Nullable String token) throws IOException {
    try (HttpModelSource source = new HttpModelSource(HttpModelSettings.of(address, token))) {
      ModelReader reader = new ModelReader(source);
      return reader.load(reader.current("clicks", 0).orElseThrow()).get("model.zip");
    }
  }

  @Test
  void console_withAModelsPort_servesTheFilesUntilItEnds() throws Exception {
    Future<Integer> running = start("--models-port 0 --models-dir " + folder.resolve("models"));
    URI address = address();
    assertThat(read(address, null)).containsExactly(1, 2, 3);
    stop.set(true);
    assertThat(running.get()).isZero();
    assertThatThrownBy(() -> read(address, null)).isInstanceOf(IOException.class);
  }

  private static String status(URI address, String host) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      String request =
          "HEAD /models/ HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(host);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return answer.lines().findFirst().orElse("none");
    }
  }

  @Test
  void console_allowedHosts_areAlsoThoseOfTheModels() throws Exception {
    Future<Integer> running =
        start(
            "--models-port 0 --allowed-host console.example --models-dir "
                + folder.resolve("models"));
    URI address = address();
    assertThat(status(address, "console.example:1")).contains(" 200 ");
    assertThat(status(address, "evil.example")).contains(" 421 ");
    stop.set(true);
    assertThat(running.get()).isZero();
    assertThatThrownBy(() -> start("--allowed-host http://console.example").get())
        .hasCauseInstanceOf(UsageException.class)
        .hasMessageContaining("--allowed-host: 'http://console.example' is not a name of a host");
  }

  @Test
  void console_withATokenForModels_wantsItAndNotThatOfThePage() throws Exception {
    Path models = Files.writeString(folder.resolve("token"), "reader");
    Path page = Files.writeString(folder.resolve("page-token"), "writer");
    Future<Integer> running =
        start(
            "--models-port 0 --models-dir %s --token-file %s --models-token-file %s"
                .formatted(folder.resolve("models"), page, models));
    URI address = address();
    assertThat(read(address, "reader")).containsExactly(1, 2, 3);
    assertThatThrownBy(() -> read(address, "writer")).hasMessageContaining("401");
    assertThatThrownBy(() -> read(address, null)).hasMessageContaining("401");
    stop.set(true);
    assertThat(running.get()).isZero();
  }

  @Test
  void console_portWithoutFolder_isRefused() {
    assertThatThrownBy(() -> start("--models-port 0").get())
        .hasCauseInstanceOf(UsageException.class)
        .hasMessageContaining("--models-port needs the folder");
    assertThatThrownBy(() -> start("--models-dir s3://bucket/x --models-port 0").get())
        .hasMessageContaining("--models-port serves a folder");
    assertThatThrownBy(() -> start("--models-token-file x").get())
        .hasMessageContaining("--models-token-file needs --models-port");
    String open = "--host 0.0.0.0 --insecure --models-port 0 --models-dir " + folder;
    assertThatThrownBy(() -> start(open).get())
        .as("--insecure lets the page be read over plain HTTP, and not the models by everybody")
        .hasMessageContaining("name a token that clients must have (--models-token-file FILE)")
        .hasMessageNotContaining("--insecure");
    assertThatThrownBy(() -> start("--models-port 70000 --models-dir " + folder).get())
        .hasMessageContaining("--models-port must be 0 to 65535, not 70000");
  }
}
