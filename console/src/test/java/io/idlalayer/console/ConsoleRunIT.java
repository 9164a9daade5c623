package io.idlalayer.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.console.server.PageAnswers;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.testkit.NativeCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real run with its console: what the page is told is what the topics say, and the job does not
 * care.
 */
final class ConsoleRunIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern CONSOLE = Pattern.compile("console at (\\S+)#token=(\\S+)");
  private static final Pattern BROKER = Pattern.compile("broker at ([^;]+);");
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path folder;
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private final PageAnswers page = new PageAnswers();
  private Process run;
  private URI address;
  private String token;
  private String servers;

  ConsoleRunIT() throws IOException {}

  @AfterEach
  void end() throws InterruptedException {
    if (run != null && run.isAlive()) {
      run.descendants().forEach(ProcessHandle::destroyForcibly);
      run.destroyForcibly().waitFor();
    }
  }

  private static String classPath() {
    String tests = System.getProperty("surefire.test.class.path");
    return tests == null ? System.getProperty("java.class.path") : tests;
  }

  private void start() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("clicks.yaml"),
            """
            name: clicks
            input: {format: csv, columns: [a, b, label], features: [a, b], label: label, classes: ["0", "1"]}
            model: {type: mlp, hidden: [8]}
            update: {rule: count, count: 200}
            publishing: {every: 0s}
            """);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(NativeCode.options());
    for (String name :
        List.of("lang", "util", "util.concurrent", "util.concurrent.atomic", "time")) {
      command.add("--add-opens=java.base/java." + name + "=ALL-UNNAMED");
    }
    String classes = classPath();
    command.addAll(
        List.of("-Dorg.bytedeco.javacpp.maxphysicalbytes=0", "-Didla.console.lib=" + classes));
    command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
    command.addAll(List.of("-cp", classes, "io.idlalayer.jobs.cli.Idla", "run", file.toString()));
    command.addAll(List.of("--work-dir", folder.resolve("work").toString(), "--console-port", "0"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("OMP_NUM_THREADS", "1");
    run = builder.start();
    Thread reader = new Thread(this::listen, "run-output");
    reader.setDaemon(true);
    reader.start();
    try {
      await().atMost(LONG).until(() -> found(CONSOLE) != null || !run.isAlive());
    } catch (ConditionTimeoutException late) {
      throw new AssertionError("the run does not say its address: " + output(), late);
    }
    Matcher console = found(CONSOLE);
    assertThat(console).describedAs(output()).isNotNull();
    address = URI.create(console.group(1));
    token = console.group(2);
    servers = found(BROKER).group(1);
  }

  private void listen() {
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(run.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        said.add(line);
      }
    } catch (IOException closed) {
      said.add(String.valueOf(closed));
    }
  }

  private String output() {
    return String.join("\n", said);
  }

  private Matcher found(Pattern pattern) {
    return said.stream().map(pattern::matcher).filter(Matcher::find).findFirst().orElse(null);
  }

  private void produce(int events, String... more) {
    Random random = new Random(events);
    try (KafkaProducer<String, String> producer = producer()) {
      for (int i = 0; i < events; i++) {
        double a = random.nextGaussian();
        double b = random.nextGaussian();
        String event = "%f,%f,%d".formatted(a, b, a + b > 0 ? 1 : 0);
        send(producer, event);
      }
      for (String each : more) {
        send(producer, each);
      }
      producer.flush();
    }
  }

  private KafkaProducer<String, String> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", servers, "linger.ms", 0),
        new StringSerializer(),
        new StringSerializer());
  }

  private static void send(KafkaProducer<String, String> producer, String event) {
    try {
      producer.send(new ProducerRecord<>("clicks-samples", event)).get();
    } catch (InterruptedException | ExecutionException failed) {
      throw new AssertionError(failed);
    }
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(address.resolve(path)).timeout(Duration.ofSeconds(30)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).describedAs(answer.body()).isEqualTo(200);
    page.check(answer);
    return JSON.readTree(answer.body());
  }

  private HttpResponse<String> ask(String path, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(address.resolve(path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    page.check(answer);
    return answer;
  }

  private JsonNode post(String path, String body) throws IOException, InterruptedException {
    HttpResponse<String> answer = ask(path, body);
    assertThat(answer.statusCode()).describedAs(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  private JsonNode status() throws IOException, InterruptedException {
    JsonNode learners = get("api/learners");
    return learners.isEmpty() ? learners : learners.get(0).path("last").path("status");
  }

  private void awaitStatus(String pointer, long atLeast) {
    await()
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> status().at(pointer).longValue() >= atLeast);
  }

  @Test
  void aRun_isShownAskedAndChangedAndOutlivesItsConsole() throws Exception {
    start();
    JsonNode console = get("api/console");
    assertThat(console.path("source").textValue()).isEqualTo("kafka");
    assertThat(console.path("applications").get(0).path("rule").textValue()).isEqualTo("count");

    produce(500, "broken");
    awaitStatus("/progress/updates", 2);
    awaitStatus("/samples/received", 501);
    assertThat(status().at("/samples/malformed").longValue()).isEqualTo(1);
    assertThat(status().at("/decision/pending").longValue()).isEqualTo(100);

    // The rule would wait for 100 more; people can ask.
    post("api/applications/clicks/train", "{}");
    awaitStatus("/progress/updates", 3);
    assertThat(status().at("/decision/pending").longValue()).isZero();
    JsonNode updates = get("api/learners/clicks/0/updates");
    assertThat(updates).hasSize(3);
    assertThat(updates.get(2).at("/update/firing/newSamples").longValue()).isEqualTo(100);

    assertThat(
            post("api/applications/clicks/explain", "{\"id\": \"#1\"}").path("message").textValue())
        .contains("asked clicks");
    String id = URLEncoder.encode("#1", StandardCharsets.UTF_8);
    await()
        .atMost(LONG)
        .until(
            () -> get("api/learners/clicks/0/samples?id=" + id).at("/answer/found").booleanValue());

    deadLettersAreSentAgain();
    versionsArePinned();
    versionsAreNamed();
    whatTheTopicSaysIsInTheStream();

    // The console dies, and the run neither ends nor loses anything.
    List<ProcessHandle> children = run.children().collect(Collectors.toList());
    assertThat(children).hasSize(1);
    children.get(0).destroyForcibly();
    produce(400);
    Path current = folder.resolve("work/models/clicks/0");
    await().atMost(LONG).until(() -> Files.exists(current.resolve("v0000000006/manifest.json")));
    run.toHandle().destroy();
    assertThat(run.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(run.exitValue()).describedAs(output()).isZero();
    assertThat(output()).contains("the console has ended; the run goes on", "everything is in ");
    // 501 at first, two that were sent again, 199 for the stream and 400 without a console.
    assertThat(output()).contains("events    1,102 received = 1,100 trained as new");
  }

  private void deadLettersAreSentAgain() throws Exception {
    JsonNode letters = get("api/applications/clicks/dead-letters");
    assertThat(letters.path("total").longValue()).isEqualTo(1);
    JsonNode letter = letters.path("letters").get(0);
    assertThat(letter.path("text").textValue()).isEqualTo("broken");
    assertThat(letter.path("topic").textValue()).isEqualTo("clicks-samples");
    assertThat(letter.path("reason").textValue()).isNotEmpty();
    String name = letter.path("id").textValue();
    post(
        "api/applications/clicks/dead-letters/resend",
        "{\"id\": \"%s\", \"text\": \"0.25,0.5,1\"}".formatted(name));
    awaitStatus("/samples/received", 502);
    assertThat(status().at("/samples/malformed").longValue()).isEqualTo(1);
    assertThat(status().at("/decision/pending").longValue()).isEqualTo(1);
    post("api/applications/clicks/dead-letters/resend", "{\"id\": \"%s\"}".formatted(name));
    awaitStatus("/samples/malformed", 2);
    requestsAreNotSentAgain();
  }

  /** A refused request is a dead letter too, and no event. */
  private void requestsAreNotSentAgain() throws Exception {
    try (KafkaProducer<String, String> producer = producer()) {
      producer.send(new ProducerRecord<>("clicks-control", "no request")).get();
    }
    awaitStatus("/input/refusedControls", 1);
    JsonNode letter =
        get("api/applications/clicks/dead-letters")
            .path("letters")
            .valueStream()
            .filter(each -> each.path("topic").textValue().equals("clicks-control"))
            .findFirst()
            .orElseThrow();
    assertThat(letter.path("obstacle").textValue()).contains("request from the control topic");
    String name = letter.path("id").textValue();
    for (String text : List.of("", ", \"text\": \"0.25,0.5,1\"")) {
      HttpResponse<String> answer =
          ask(
              "api/applications/clicks/dead-letters/resend",
              "{\"id\": \"%s\"%s}".formatted(name, text));
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("request from the control topic");
    }
  }

  private void versionsArePinned() throws Exception {
    JsonNode models = get("api/learners/clicks/0/models");
    assertThat(models.path("current").longValue()).isEqualTo(3);
    assertThat(models.path("versions")).hasSize(3);
    post("api/learners/clicks/0/pin", "{\"version\": 1, \"reason\": \"a test\"}");
    models = get("api/learners/clicks/0/models");
    assertThat(models.path("serving").longValue()).isEqualTo(1);
    assertThat(models.at("/pin/reason").textValue()).isEqualTo("a test");
    post("api/learners/clicks/0/unpin", "{}");
    post("api/learners/clicks/0/rollback", "{}");
    assertThat(get("api/learners/clicks/0/models").path("serving").longValue()).isEqualTo(2);
    post("api/learners/clicks/0/unpin", "{}");
    assertThat(get("api/learners/clicks/0/models").path("serving").longValue()).isEqualTo(3);
  }

  private void versionsAreNamed() throws Exception {
    String path = "api/learners/clicks/0/alias";
    assertThat(post(path, "{\"name\": \"champion\", \"version\": 2}").path("message").textValue())
        .isEqualTo("clicks/0: v2 has the alias 'champion'");
    assertThat(get("api/learners/clicks/0/models").at("/aliases/champion/version").longValue())
        .isEqualTo(2);
    try (ModelStore store = new ModelStore(folder.resolve("work/models"), InstantSource.system())) {
      assertThat(store.aliased("clicks", 0, "champion").manifest().version()).isEqualTo(2);
    }
    assertThat(ask(path, "{\"name\": \"champion\", \"version\": 77}").statusCode()).isEqualTo(409);
    assertThat(post(path, "{\"name\": \"champion\", \"remove\": true}").path("message").textValue())
        .isEqualTo("clicks/0: no version has the alias 'champion' any more");
    assertThat(get("api/learners/clicks/0/models").path("aliases")).isEmpty();
  }

  /** Until the console dies. */
  private static void hear(HttpResponse<Stream<String>> stream, Queue<JsonNode> heard) {
    try (Stream<String> lines = stream.body()) {
      Iterator<String> said =
          lines.filter(line -> line.startsWith("data: {\"formatVersion\"")).iterator();
      while (said.hasNext()) {
        heard.add(JSON.readTree(said.next().substring("data: ".length())));
      }
    } catch (JsonProcessingException noJson) {
      throw new IllegalStateException(noJson);
    } catch (UncheckedIOException ended) {
      // The test ends it.
    }
  }

  private void whatTheTopicSaysIsInTheStream() throws Exception {
    Queue<JsonNode> heard = new ConcurrentLinkedQueue<>();
    HttpResponse<Stream<String>> stream =
        client.send(
            HttpRequest.newBuilder(address.resolve("api/stream")).build(),
            HttpResponse.BodyHandlers.ofLines());
    Thread listener = new Thread(() -> hear(stream, heard), "stream");
    listener.setDaemon(true);
    listener.start();
    produce(199);
    await()
        .atMost(LONG)
        .until(
            () ->
                heard.stream()
                    .anyMatch(event -> event.path("type").textValue().equals("PUBLISHED")));
    heard.forEach(event -> page.check("DecisionEvent", event));
    assertThat(heard)
        .filteredOn(event -> !event.path("type").textValue().equals("STATUS"))
        .extracting(event -> event.path("type").textValue())
        .containsSubsequence("FIRED", "STAGED", "PUBLISHED");
  }
}
