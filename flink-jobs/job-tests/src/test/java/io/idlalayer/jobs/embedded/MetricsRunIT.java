package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.metrics.FaultyReporter;
import io.idlalayer.jobs.metrics.PrometheusText;
import io.idlalayer.jobs.metrics.StatusNumbers;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A run with the reporters of the lib folder, for Prometheus and OpenTelemetry, and with reporters
 * that hang and throw beside them.
 */
final class MetricsRunIT {
  private static final long EVENTS = 4_000;
  private static final int MOST_SECONDS = 60;
  private static final String DEMO = "application=\"demo\"";

  @TempDir Path folder;

  /** Reads the metrics when everything is learned and the job still runs. */
  private static final class Scraper extends FakeMonitor {
    private final URI address;
    private final HttpClient client = HttpClient.newHttpClient();
    String atTheEnd = "";

    Scraper(int port) {
      address = URI.create("http://127.0.0.1:" + port + "/metrics");
    }

    @Override
    public void phase(String text) {
      if (text.equals("saving")) {
        try {
          atTheEnd = scrape();
        } catch (IOException failed) {
          throw new UncheckedIOException(failed);
        }
      }
    }

    String scrape() throws IOException {
      try {
        HttpRequest request = HttpRequest.newBuilder(address).build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new IOException(stopped);
      }
    }
  }

  /** Takes what the reporters for OpenTelemetry send, as it is: mostly names in UTF-8. */
  private static final class Collector implements AutoCloseable {
    private final HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private final Map<String, String> received = new HashMap<>();

    Collector() throws IOException {
      server.createContext(
          "/",
          exchange -> {
            try (exchange) {
              byte[] body = exchange.getRequestBody().readAllBytes();
              take(
                  exchange.getRequestURI().getPath(),
                  new String(body, StandardCharsets.ISO_8859_1));
              exchange.sendResponseHeaders(200, -1);
            }
          });
      server.start();
    }

    /** Settings that make a kind of reporter send here. */
    Map<String, String> settings(String kind, String factory) {
      String reporter = kind + ".reporter.otel.";
      return Map.of(
          reporter + "factory.class",
          factory,
          reporter + "exporter.protocol",
          "HTTP",
          reporter + "exporter.endpoint",
          "http://127.0.0.1:%d/%s".formatted(server.getAddress().getPort(), kind),
          reporter + "interval",
          "1 s");
    }

    private synchronized void take(String path, String text) {
      received.merge(path, text, String::concat);
      notifyAll();
    }

    /** Waits until something of a kind has come. */
    synchronized void await(String kind, String text) throws InterruptedException {
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
      while (!received.getOrDefault("/" + kind, "").contains(text)) {
        long leftNanos = deadlineNanos - System.nanoTime();
        assertThat(leftNanos).as(kind + " without " + text).isPositive();
        TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
      }
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  /** Waits for the reporters when everything is learned and the job still runs. */
  private static final class Waiter extends FakeMonitor {
    private final Collector collector;

    Waiter(Collector collector) {
      this.collector = collector;
    }

    @Override
    public void phase(String text) {
      if (text.equals("saving")) {
        try {
          collector.await("metrics", "idlalayer.application.partition.receivedEvents");
          collector.await("traces", "parentVersion");
          collector.await("events", "InputFinished");
        } catch (InterruptedException stopped) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException(stopped);
        }
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static Map<String, String> prometheus(int port) {
    return Map.of(
        "metrics.reporter.prom.factory.class",
        "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
        "metrics.reporter.prom.port",
        Integer.toString(port));
  }

  private EmbeddedRun.Plan plan(Map<String, String> flink) throws Exception {
    ApplicationSettings demo = ApplicationFiles.demo(folder.resolve("demo.yaml"), "");
    InputPlan input =
        new InputPlan(demo, "test", () -> new DriftingStream(3, EVENTS), Long.MAX_VALUE, 1_500);
    return new EmbeddedRun.Plan(
        List.of(demo), folder.resolve("work"), null, input, StartOver.NO, null, flink);
  }

  @Test
  void metrics_atTheEnd_areTheNumbersOfTheReport() throws Exception {
    int port = freePort();
    Map<String, String> flink = new TreeMap<>(prometheus(port));
    flink.putAll(
        Map.of(
            "metrics.reporter.faulty.factory.class",
            FaultyReporter.Metrics.class.getName(),
            "metrics.reporter.faulty.interval",
            "1 s",
            "traces.reporter.faulty.factory.class",
            FaultyReporter.Traces.class.getName(),
            "events.reporter.faulty.factory.class",
            FaultyReporter.Events.class.getName()));
    Scraper scraper = new Scraper(port);
    RunOutcome outcome = new EmbeddedRun(plan(flink), scraper).run(() -> false);
    assertThat(outcome.finished()).isTrue();
    Map<String, Double> metrics =
        PrometheusText.values(scraper.atTheEnd, PrometheusText.LEARNER, DEMO);
    assertThat(compare(metrics, outcome.view().learners().get(0).status()))
        .isGreaterThanOrEqualTo(60);
    assertThat(metrics.get("receivedEvents"))
        .isEqualTo(RunReport.of(outcome.view(), 1).get("samples").get("received").asDouble())
        .isEqualTo(EVENTS);
    assertThat(metrics.get("modelVersion"))
        .isEqualTo((double) outcome.view().learners().get(0).status().modelVersion());
    assertThat(metrics.get("trainingMillis_count")).isEqualTo(metrics.get("updatesAccepted"));
    assertThat(metrics.get("versionsPublished")).isEqualTo(metrics.get("modelVersion"));
    assertThat(metrics.get("modelAgeSeconds")).isBetween(0.0, 300.0);
    assertThat(metrics).doesNotContainKeys("tableRows", "heldModels", "meanAbsoluteError");
    Map<String, Double> subtask =
        PrometheusText.values(scraper.atTheEnd, PrometheusText.SUBTASK, "subtask_index");
    assertThat(subtask).containsEntry("trainerHungThreads", 0.0).containsKey("reportsDropped");
    assertThat(FaultyReporter.METRICS).hasPositiveValue();
    assertThat(FaultyReporter.HANGS).hasPositiveValue();
    assertThat(FaultyReporter.EVENTS).hasPositiveValue();
    assertThat(FaultyReporter.SPANS).hasValue(metrics.get("versionsPublished").intValue());
    assertThatThrownBy(scraper::scrape).isInstanceOf(IOException.class);
  }

  /** Metrics show the numbers of the status; says how many. */
  private static int compare(Map<String, Double> metrics, Status status) throws Exception {
    Map<String, Double> numbers = StatusNumbers.of(status);
    Map<String, Double> expected = new TreeMap<>();
    StatusNumbers.paths()
        .forEach(
            (name, path) -> {
              if (numbers.containsKey(path)) {
                expected.put(name, numbers.get(path));
              }
            });
    // No time is known: a status says -1, and a metric is not a number.
    expected.replace("nextFiringSeconds", -1.0, Double.NaN);
    Map<String, Double> shown = new TreeMap<>(metrics);
    shown.keySet().retainAll(expected.keySet());
    assertThat(shown).isEqualTo(expected);
    return expected.size();
  }

  /** A regression with tables and a gate, whose metrics a run without them does not have. */
  private EmbeddedRun.Plan ratings(int port) throws Exception {
    ApplicationSettings ratings =
        ApplicationFiles.read(
            folder.resolve("ratings.yaml"),
            """
            name: ratings
            input: {format: csv, columns: [user, rating], ids: [user], label: rating, task: regression}
            model: {type: mlp, hidden: [8]}
            embeddings: {dim: 4, learning-rate: 0.1}
            memory: {rows: {fast-bytes: 64KiB}}
            training: {epochs: 2, learning-rate: 0.01}
            update: {rule: count, count: 200}
            publishing: {gate: {action: hold, samples: 100, wait: 5s}}
            """);
    SplittableRandom random = new SplittableRandom(5);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      int user = random.nextInt(1_500);
      text.append("user-").append(user).append(',').append(user % 5).append('\n');
    }
    Path input = Files.writeString(folder.resolve("ratings.csv"), text);
    return new EmbeddedRun.Plan(
        List.of(ratings),
        folder.resolve("work"),
        null,
        new InputPlan(ratings, InputSource.file(input, ratings), Long.MAX_VALUE, 1_500),
        StartOver.NO,
        null,
        prometheus(port));
  }

  @Test
  void metrics_ofTablesAndGate_areTheNumbersOfTheStatus() throws Exception {
    int port = freePort();
    Scraper scraper = new Scraper(port);
    RunOutcome outcome = new EmbeddedRun(ratings(port), scraper).run(() -> false);
    assertThat(outcome.finished()).isTrue();
    Map<String, Double> metrics =
        PrometheusText.values(scraper.atTheEnd, PrometheusText.LEARNER, "application=\"ratings\"");
    assertThat(compare(metrics, outcome.view().learners().get(0).status()))
        .isGreaterThanOrEqualTo(82);
    assertThat(metrics)
        .containsKeys("tableRows", "heldModels", "meanAbsoluteError")
        .doesNotContainKey("accuracy");
    assertThat(metrics.get("tableRows")).isBetween(1_000.0, 1_500.0);
  }

  @Test
  void openTelemetry_getsMetricsSpansAndEvents() throws Exception {
    try (Collector collector = new Collector()) {
      Map<String, String> flink = new TreeMap<>();
      flink.putAll(
          collector.settings(
              "metrics", "org.apache.flink.metrics.otel.OpenTelemetryMetricReporterFactory"));
      flink.putAll(
          collector.settings(
              "traces", "org.apache.flink.traces.otel.OpenTelemetryTraceReporterFactory"));
      flink.putAll(
          collector.settings(
              "events", "org.apache.flink.events.otel.OpenTelemetryEventReporterFactory"));
      RunOutcome outcome = new EmbeddedRun(plan(flink), new Waiter(collector)).run(() -> false);
      assertThat(outcome.finished()).isTrue();
    }
  }

  @Test
  void settingThatIsSettled_isRefusedByName() throws Exception {
    EmbeddedRun.Plan plan = plan(Map.of("state.backend.type", "hashmap"));
    assertThatThrownBy(() -> new EmbeddedRun(plan, new Scraper(1)).run(() -> false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("leave out -D for state.backend.type");
  }
}
