package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds {@code examples/java} with Maven, against the artifacts of this build, and asks it. */
@Tag("natives")
final class JavaServiceIT {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final Pattern ADDRESS = Pattern.compile("predicting app at (\\S+)/predict");
  private static final String EVENT = "{\"x\": 1, \"y\": 2.5}";

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private ClientBuild.Running service;
  private String address;

  @AfterEach
  void end() throws InterruptedException {
    if (service != null) {
      service.process().destroyForcibly().waitFor();
    }
  }

  private void start(Path models) throws Exception {
    ClientBuild built = ClientBuild.of(Path.of("../../examples/java"), folder.resolve("client"));
    // There is no broker, which does no harm.
    service =
        built.start(
            List.of("-Dmax-staleness=PT3S"),
            "example.PredictionService",
            models.toString(),
            "app",
            "0",
            "127.0.0.1:1");
    Awaitility.await()
        .atMost(WAIT)
        .until(() -> ADDRESS.matcher(said()).find() || !service.process().isAlive());
    Matcher found = ADDRESS.matcher(said());
    assertThat(found.find()).as(said()).isTrue();
    address = found.group(1);
  }

  private String said() throws IOException {
    return Files.readString(service.output());
  }

  private HttpResponse<String> ask(HttpRequest.Builder request) throws Exception {
    return client.send(
        request.timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return ask(HttpRequest.newBuilder(URI.create(address + path)));
  }

  private HttpResponse<String> post(String event) throws Exception {
    return ask(
        HttpRequest.newBuilder(URI.create(address + "/predict"))
            .POST(HttpRequest.BodyPublishers.ofString(event)));
  }

  private static void damagePointer(Path models) throws IOException {
    try (Stream<Path> files = Files.walk(models)) {
      for (Path file : files.filter(it -> it.endsWith("current.json")).toList()) {
        Files.writeString(file, "{");
      }
    }
  }

  @Test
  void service_builtAgainstTheArtifacts_predictsWithTheVersionThatServes() throws Exception {
    Path models = folder.resolve("models");
    start(models);
    HttpResponse<String> none = post(EVENT);
    assertThat(none.statusCode()).isEqualTo(503);
    assertThat(none.headers().firstValue("Retry-After")).contains("1");
    ServingClientIT.publish(models);
    Awaitility.await().atMost(WAIT).until(() -> post(EVENT).statusCode() == 200);
    assertThat(post(EVENT).body())
        .matches(
            "\\{\"prediction\":\"[01]\",\"probabilities\":\\{\"0\":0\\.\\d+,\"1\":0\\.\\d+},"
                .concat("\"version\":1,\"ageMillis\":\\d+}"));
    assertThat(post("{\"x\": \"one\"}").statusCode()).isEqualTo(400);
    assertThat(get("/predict").statusCode()).isEqualTo(405);
    assertThat(get("/metrics").body())
        .contains("idla_model_version{alias=\"\",application=\"app\",partition=\"0\"} 1.0");
    ServingClientIT.publish(models);
    Awaitility.await().atMost(WAIT).until(() -> post(EVENT).body().contains("\"version\":2"));
    damagePointer(models);
    Awaitility.await().atMost(WAIT).until(() -> post(EVENT).statusCode() == 503);
    assertThat(get("/metrics").body()).contains("idla_model_staleness_seconds{");
    service.process().destroy();
    assertThat(service.process().waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(said()).contains("refused: ").endsWith("stopped\n");
  }
}
