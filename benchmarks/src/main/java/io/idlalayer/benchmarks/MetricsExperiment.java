package io.idlalayer.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What metrics cost: the same backlog of 1 KB events is drained again and again, in turns without a
 * reporter and with the Prometheus reporter that is scraped every 5 seconds. The first run is
 * warm-up. The time from the first status with events to the first one behind 95 % of them is
 * measured, and the processor time of the process meanwhile.
 */
public final class MetricsExperiment {
  private static final int SCRAPE_SECONDS = 5;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final double MEASURED_SHARE = 0.95;

  private MetricsExperiment() {}

  /** Usage: {@code MetricsExperiment WORK_FOLDER EVENTS PAIRS}. */
  public static void main(String[] args) throws Exception {
    Path work = Path.of(args[0]);
    long events = Long.parseLong(args[1]);
    int pairs = Integer.parseInt(args[2]);
    ApplicationSettings application = application(work);
    double[] rates = new double[pairs];
    double[] costs = new double[pairs];
    try (EmbeddedBroker broker = EmbeddedBroker.start(work.resolve("broker"), 0)) {
      String servers = broker.bootstrapServers();
      Topics.ensure(List.of(application), servers);
      new InputProducer(application, servers)
          .send(
              InputSource.generated("wide", () -> new WideEvents(events)),
              new InputProducer.Request(Long.MAX_VALUE, 0));
      drain(application, work.resolve("warm-up"), servers, events, true);
      System.out.println("| pair | off: events/s | on | ratio | off: ms of processor/1,000 | on |");
      System.out.println("|---|---|---|---|---|---|");
      for (int i = 0; i < pairs; i++) {
        // The first of two drains has a smaller log to share the disk with: which it is changes.
        boolean first = i % 2 == 1;
        Drain one = drain(application, work.resolve("a" + i), servers, events, first);
        Drain two = drain(application, work.resolve("b" + i), servers, events, !first);
        Drain on = first ? one : two;
        Drain off = first ? two : one;
        rates[i] = on.eventsPerSecond() / off.eventsPerSecond();
        costs[i] = on.processorMillis() / off.processorMillis();
        System.out.printf(
            "| %d | %.0f | %.0f | %.3f | %.2f | %.2f |%n",
            i + 1,
            off.eventsPerSecond(),
            on.eventsPerSecond(),
            rates[i],
            off.processorMillis(),
            on.processorMillis());
      }
    }
    System.out.printf("events/s on/off: %s%n", spread(rates));
    System.out.printf("processor time on/off: %s%n", spread(costs));
    System.exit(0);
  }

  private static String spread(double[] ratios) {
    double[] sorted = ratios.clone();
    Arrays.sort(sorted);
    int n = sorted.length;
    double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    return "median %.3f (%.3f..%.3f)".formatted(median, sorted[0], sorted[n - 1]);
  }

  /** One measurement; processor time is of 1,000 events. */
  private record Drain(double eventsPerSecond, double processorMillis) {}

  private static final class Watch implements RunMonitor {
    private final long until;
    private final OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long fromEvents;
    private long fromMillis;
    private long fromProcessor;
    volatile @Nullable Drain measured;

    Watch(long until) {
      this.until = until;
    }

    @Override
    public void phase(String text) {}

    @Override
    public void tick(RunView view) {}

    @Override
    public void event(RunView view, DecisionEvent event) {
      long received = event.status().samples().received();
      if (received == 0 || measured != null) {
        return;
      }
      if (fromEvents == 0) {
        fromEvents = received;
        fromMillis = event.atMillis();
        fromProcessor = system.getProcessCpuTime();
      } else if (received >= until) {
        double events = received - fromEvents;
        measured =
            new Drain(
                events * 1_000 / (event.atMillis() - fromMillis),
                (system.getProcessCpuTime() - fromProcessor) / 1e6 / (events / 1_000));
      }
    }
  }

  private static Drain drain(
      ApplicationSettings application, Path work, String servers, long events, boolean on)
      throws Exception {
    Watch watch = new Watch((long) (events * MEASURED_SHARE));
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Map<String, String> flink =
        on
            ? Map.of(
                "metrics.reporter.prom.factory.class",
                "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
                "metrics.reporter.prom.port",
                Integer.toString(port))
            : Map.of();
    ScheduledExecutorService scraper = Executors.newSingleThreadScheduledExecutor();
    try {
      if (on) {
        ScheduledFuture<?> unused =
            scraper.scheduleWithFixedDelay(() -> scrape(port), 1, SCRAPE_SECONDS, TimeUnit.SECONDS);
      }
      EmbeddedRun.Plan plan =
          new EmbeddedRun.Plan(
              List.of(application), work, servers, null, StartOver.NOW, null, flink);
      new EmbeddedRun(plan, watch).run(() -> watch.measured != null);
    } finally {
      scraper.shutdownNow();
    }
    return Objects.requireNonNull(watch.measured, "the run was stopped");
  }

  private static void scrape(int port) {
    try {
      CLIENT.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException notYet) {
      return;
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  /** An update trains each 100,000 samples, as many as may wait. */
  static ApplicationSettings application(Path work) throws Exception {
    Files.createDirectories(work);
    Path file = work.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: wide
        input: {format: json, features: [{name: x, width: 50}], label: y, classes: 2}
        model: {type: mlp, hidden: [64, 32]}
        update: {rule: periodic, period: 1h, max-batch: 100000}
        selection: {max-samples: 10000000, max-bytes: 16GiB, replay-budget: 2000}
        """);
    return ApplicationFileReader.read(file, System::getenv);
  }
}
