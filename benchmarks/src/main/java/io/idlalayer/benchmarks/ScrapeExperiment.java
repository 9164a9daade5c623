package io.idlalayer.benchmarks;

import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * What it costs to scrape metrics: in one job that drains a backlog of 1 KB events, with the
 * Prometheus reporter, pairs of neighbouring slices of time, in one of which (by lot) metrics are
 * scraped once. Compared is the processor time that the threads of Flink's tasks take for an event,
 * which other processes of the machine disturb less than times of a clock. That neighbours are
 * compared cancels what drifts. The processor time of the scrape itself is measured at its threads.
 */
public final class ScrapeExperiment {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final String LEARNING = "learn";
  private static final long WARM_UP_SECONDS = 10;

  /** The others repeat these: nothing is trained, and each second is like the one before. */
  private static final long DIFFERENT = 2_000;

  private static final int DRAWS = 2_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private ScrapeExperiment() {}

  /** Usage: {@code ScrapeExperiment WORK_FOLDER EVENTS RUNS SLICE_MILLIS}. */
  public static void main(String[] args) throws Exception {
    Locale.setDefault(Locale.ROOT);
    Path work = Path.of(args[0]);
    long events = Long.parseLong(args[1]);
    int runs = Integer.parseInt(args[2]);
    long sliceMillis = Long.parseLong(args[3]);
    ApplicationSettings application = WideEvents.application(work, "1h", WideEvents.HOT_BYTES);
    SplittableRandom random = new SplittableRandom(1);
    List<Pair> pairs = new ArrayList<>();
    try (EmbeddedBroker broker = EmbeddedBroker.start(work.resolve("broker"), 0)) {
      String servers = broker.bootstrapServers();
      WideEvents.send(application, servers, events, DIFFERENT);
      for (int i = 0; i < runs; i++) {
        Sliced sliced = new Sliced(events, sliceMillis, random);
        drain(application, work.resolve("run" + i), servers, sliced);
        pairs.addAll(sliced.pairs);
        System.out.printf("run %d: %d pairs%n", i + 1, sliced.pairs.size());
        print(sliced.pairs);
      }
    }
    System.out.println("all runs:");
    print(pairs);
    System.exit(0);
  }

  /**
   * The measurements of a slice.
   *
   * @param taskNanos processor time of the threads of tasks
   * @param reporterNanos processor time of the threads that answer scrapes
   */
  private record Slice(double events, double seconds, double taskNanos, double reporterNanos) {
    double nanosPerEvent() {
      return taskNanos / events;
    }
  }

  private record Pair(Slice off, Slice on) {}

  private static void print(List<Pair> pairs) {
    System.out.printf(
        "  task threads, processor time for an event, on/off - 1: %s%n",
        interval(pairs, Slice::taskNanos, Slice::events));
    System.out.printf(
        "  events/s, on/off - 1: %s%n", interval(pairs, Slice::events, Slice::seconds));
    System.out.printf(
        "  off: %.0f ns an event, %.0f events/s; a scrape: %.2f ms of processor time (medians)%n",
        Repeats.median(pairs.stream().mapToDouble(it -> it.off().nanosPerEvent()).toArray()),
        Repeats.median(
            pairs.stream().mapToDouble(it -> it.off().events() / it.off().seconds()).toArray()),
        Repeats.median(pairs.stream().mapToDouble(it -> it.on().reporterNanos()).toArray()) / 1e6);
  }

  /**
   * The ratio of what is summed over all slices, on to off, with a 95 % interval: pairs are drawn
   * again and again, with replacement (bootstrap).
   */
  private static String interval(
      List<Pair> pairs, ToDoubleFunction<Slice> what, ToDoubleFunction<Slice> per) {
    SplittableRandom random = new SplittableRandom(2);
    double[] drawn = new double[DRAWS];
    for (int i = 0; i < DRAWS; i++) {
      List<Pair> again = new ArrayList<>();
      for (int k = 0; k < pairs.size(); k++) {
        again.add(pairs.get(random.nextInt(pairs.size())));
      }
      drawn[i] = ratio(again, what, per);
    }
    Arrays.sort(drawn);
    return "%+.2f %% (%+.2f .. %+.2f)"
        .formatted(
            100 * (ratio(pairs, what, per) - 1),
            100 * (drawn[DRAWS / 40] - 1),
            100 * (drawn[DRAWS - 1 - DRAWS / 40] - 1));
  }

  private static double ratio(
      List<Pair> pairs, ToDoubleFunction<Slice> what, ToDoubleFunction<Slice> per) {
    double on =
        pairs.stream().mapToDouble(it -> what.applyAsDouble(it.on())).sum()
            / pairs.stream().mapToDouble(it -> per.applyAsDouble(it.on())).sum();
    double off =
        pairs.stream().mapToDouble(it -> what.applyAsDouble(it.off())).sum()
            / pairs.stream().mapToDouble(it -> per.applyAsDouble(it.off())).sum();
    return on / off;
  }

  /** Cuts the time of a run into slices, on a thread of its own. */
  private static final class Sliced implements RunMonitor {
    final List<Pair> pairs = new ArrayList<>();
    private final long until;
    private final long sliceNanos;
    private final SplittableRandom random;
    private volatile boolean ended;

    Sliced(long events, long sliceMillis, SplittableRandom random) {
      until = events * 9 / 10;
      sliceNanos = TimeUnit.MILLISECONDS.toNanos(sliceMillis);
      this.random = random;
    }

    @Override
    public void phase(String text) {}

    @Override
    public void tick(RunView view) {}

    @Override
    public void event(RunView view, DecisionEvent event) {}

    void run(int port) {
      try {
        measure(port);
      } finally {
        ended = true;
      }
    }

    private void measure(int port) {
      while (CountedRecords.of(LEARNING) == 0) {
        LockSupport.parkNanos(sliceNanos / 10);
      }
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(WARM_UP_SECONDS));
      while (CountedRecords.of(LEARNING) < until) {
        boolean scrapedFirst = random.nextBoolean();
        Slice first = slice(port, scrapedFirst);
        Slice second = slice(port, !scrapedFirst);
        pairs.add(scrapedFirst ? new Pair(second, first) : new Pair(first, second));
      }
    }

    private Slice slice(int port, boolean scraped) {
      long began = System.nanoTime();
      long events = CountedRecords.of(LEARNING);
      long tasks = processorNanos(Sliced::isTask);
      long reporter = processorNanos(Sliced::isReporter);
      if (scraped) {
        scrape(port);
      }
      long left = began + sliceNanos - System.nanoTime();
      while (left > 0) {
        LockSupport.parkNanos(left);
        left = began + sliceNanos - System.nanoTime();
      }
      return new Slice(
          CountedRecords.of(LEARNING) - events,
          (System.nanoTime() - began) / 1e9,
          processorNanos(Sliced::isTask) - tasks,
          processorNanos(Sliced::isReporter) - reporter);
    }

    private static boolean isTask(Thread thread) {
      ThreadGroup group = thread.getThreadGroup();
      return group != null && group.getName().equals("Flink Task Threads");
    }

    private static boolean isReporter(Thread thread) {
      return thread.getName().startsWith("prometheus-http");
    }

    private static long processorNanos(Predicate<Thread> which) {
      long sum = 0;
      Thread[] threads = new Thread[4 * Thread.activeCount() + 256];
      ThreadGroup root = Thread.currentThread().getThreadGroup();
      while (root.getParent() != null) {
        root = root.getParent();
      }
      int count = root.enumerate(threads, true);
      for (int i = 0; i < count; i++) {
        if (which.test(threads[i])) {
          sum += Math.max(0, THREADS.getThreadCpuTime(threads[i].getId()));
        }
      }
      return sum;
    }
  }

  private static void drain(
      ApplicationSettings application, Path work, String servers, Sliced sliced) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Map<String, String> flink =
        Map.of(
            "metrics.reporter.prom.factory.class",
            "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
            "metrics.reporter.prom.port",
            Integer.toString(port),
            "metrics.reporter.counted.factory.class",
            CountedRecords.Factory.class.getName());
    Thread measuring = new Thread(() -> sliced.run(port), "slices");
    measuring.setDaemon(true);
    measuring.start();
    EmbeddedRun.Plan plan =
        new EmbeddedRun.Plan(List.of(application), work, servers, null, StartOver.NOW, null, flink);
    new EmbeddedRun(plan, sliced).run(() -> sliced.ended);
    measuring.join();
  }

  private static void scrape(int port) {
    try {
      CLIENT.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException failed) {
      throw new IllegalStateException("not scraped", failed);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }
}
