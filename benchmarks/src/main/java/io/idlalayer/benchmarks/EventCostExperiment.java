package io.idlalayer.benchmarks;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * What an event costs that is scored and stored, and trains nothing: microseconds of processor time
 * of the job's threads, in a whole run with broker, Flink and producer in one process. One model is
 * trained at the beginning.
 *
 * <p>The job's threads are all Java threads but those of the embedded broker and of the producer of
 * the input. Threads of the JVM, such as compilers, are not among them. All are printed.
 */
@Command(
    name = "event-cost",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Processor time of events that are scored and stored, in a whole run.")
public final class EventCostExperiment implements Callable<Integer> {
  /** Starts of the names of threads of the embedded broker and of the producer of the input. */
  private static final List<String> OTHERS =
      List.of(
          "data-plane-kafka",
          "controller-",
          "quorum-controller",
          "kafka-",
          "raft-",
          "broker-",
          "metadata-",
          "executor-",
          "ExpirationReaper",
          "Sweeper",
          "group-coordinator",
          "share-coordinator",
          "transaction-",
          "SensorExpiryThread",
          "ThrottledChannelReaper",
          "client-metrics",
          "event-queue",
          "input-");

  /** Start of the names of the job's own Kafka threads, which begin as others of Kafka do. */
  private static final String JOBS_PRODUCERS = "kafka-producer-network-thread | producer-";

  private static final double LEAST_MICROS = 0.05;

  @Spec CommandSpec spec;

  @Parameters(index = "0", paramLabel = "KIND", description = "${COMPLETION-CANDIDATES}")
  CostEvents.Kind kind;

  @Option(names = "--rate", paramLabel = "N", description = "Events a second.")
  double rate = 1_000;

  @Option(names = "--events", paramLabel = "N", description = "Events in all.")
  long events = 120_000;

  @Option(names = "--warm", paramLabel = "N", description = "Events that are not measured.")
  long warm = 60_000;

  @Option(names = "--work", paramLabel = "FOLDER", description = "For a folder of the run.")
  @Nullable Path work;

  public static void main(String[] options) {
    Experiment.run(new EventCostExperiment(), options);
  }

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Watch watch = new Watch(out);
    try (WorkFolder folder = WorkFolder.in(work, "event-cost")) {
      Path file = folder.path().resolve("application.yaml");
      Files.writeString(file, CostEvents.application(kind));
      ApplicationSettings settings = ApplicationFileReader.read(file, name -> null);
      InputPlan plan =
          new InputPlan(
              settings, "generated", () -> new CostEvents(kind, events), Long.MAX_VALUE, rate);
      new EmbeddedRun(new EmbeddedRun.Plan(List.of(settings), folder.path(), null, plan), watch)
          .run(() -> watch.enough);
    }
    boolean measured = watch.print();
    out.flush();
    return measured ? 0 : 1;
  }

  /**
   * What was counted up to a moment.
   *
   * @param nanos processor time of the threads that are alive, by name without numbers
   */
  private record Counted(long atMillis, Status status, Map<String, Long> nanos) {
    static Counted of(DecisionEvent event) {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      Map<String, Long> nanos = new TreeMap<>();
      for (long id : threads.getAllThreadIds()) {
        ThreadInfo thread = threads.getThreadInfo(id);
        long spent = threads.getThreadCpuTime(id);
        if (thread != null && spent > 0) {
          String name = thread.getThreadName();
          String kind = of(name) + " " + name.replaceAll("[0-9]+", "#");
          nanos.merge(kind, spent, Long::sum);
        }
      }
      return new Counted(event.atMillis(), event.status(), nanos);
    }

    private static String of(String name) {
      boolean other =
          !name.startsWith(JOBS_PRODUCERS) && OTHERS.stream().anyMatch(name::startsWith);
      return other ? "other" : "job";
    }
  }

  /** Remembers what was counted at the moments between which is measured. */
  private final class Watch implements RunMonitor {
    private final PrintWriter out;
    private @Nullable Counted first;
    private @Nullable Counted last;
    private boolean enough;

    Watch(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void phase(String text) {
      out.println(text);
      out.flush();
    }

    @Override
    public void tick(RunView view) {}

    @Override
    public void event(RunView view, DecisionEvent event) {
      long received = event.status().samples().received();
      // The end of the input trains what waits, so nothing is measured then.
      enough = received >= events;
      if (event.type() != DecisionEvent.Type.STATUS || received < warm || enough) {
        return;
      }
      if (first == null) {
        first = Counted.of(event);
      } else {
        last = Counted.of(event);
      }
    }

    /** Returns whether there was something to print. */
    boolean print() {
      Counted from = first;
      Counted to = last;
      if (from == null || to == null) {
        out.println(
            "too few events were learned after the first --warm of them: two statuses, a second"
                + " apart, must come after those");
        return false;
      }
      double count = to.status().samples().received() - from.status().samples().received();
      long scored = to.status().prequential().scored() - from.status().prequential().scored();
      out.printf(
          Locale.ROOT,
          "%.0f events in %.1f s, %d of them scored, %d updates in all%n",
          count,
          (to.atMillis() - from.atMillis()) / 1e3,
          scored,
          to.status().updates());
      out.printf(
          Locale.ROOT,
          "an event: %.1f us of processor time of the job's threads%n",
          micros(from, to, "job").mapToDouble(Map.Entry::getValue).sum() / count);
      micros(from, to, "")
          .filter(each -> each.getValue() / count >= LEAST_MICROS)
          .forEach(
              each ->
                  out.printf(
                      Locale.ROOT, "  %7.2f us  %s%n", each.getValue() / count, each.getKey()));
      return true;
    }

    private Stream<Map.Entry<String, Double>> micros(Counted from, Counted to, String of) {
      return to.nanos().entrySet().stream()
          .filter(each -> each.getKey().startsWith(of))
          .map(
              each ->
                  Map.entry(
                      each.getKey(),
                      (each.getValue() - from.nanos().getOrDefault(each.getKey(), 0L)) / 1e3))
          .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()));
    }
  }
}
