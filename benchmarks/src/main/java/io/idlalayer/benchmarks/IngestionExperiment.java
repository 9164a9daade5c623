package io.idlalayer.benchmarks;

import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Ingestion of 1 KB JSON events with everything in one process (producer, broker, Flink, learner):
 * events per second at full speed, and the time from the topic to the books at a fixed rate,
 * without and with trainings. Every window is one status of the learner, about a second; the first
 * ones are warm-up.
 */
public final class IngestionExperiment {
  private static final int WARM_UP_WINDOWS = 8;

  private IngestionExperiment() {}

  /** Usage: {@code IngestionExperiment WORK_FOLDER EVENTS RATE}. */
  public static void main(String[] args) throws Exception {
    Path work = Path.of(args[0]);
    long events = Long.parseLong(args[1]);
    double rate = Double.parseDouble(args[2]);
    StringBuilder table = new StringBuilder();
    table.append(row("full speed, no training", run(work.resolve("a"), events, 0, "1h")));
    long paced = (long) (rate * 45);
    table.append(
        row(
            "%.0f events/s, no training".formatted(rate),
            run(work.resolve("b"), paced, rate, "1h")));
    table.append(
        row(
            "%.0f events/s, training all the time".formatted(rate),
            run(work.resolve("c"), paced, rate, "100ms")));
    System.out.print(
        "| run | windows | events/s median (min..max) | p50 ms | p99 ms | share of windows training"
            + " |\n"
            + "|---|---|---|---|---|---|\n"
            + table);
    System.exit(0);
  }

  /** One status and the seconds it covers. */
  private record Window(double eventsPerSecond, Status.Ingestion times, boolean training) {}

  private static final class Recorder implements RunMonitor {
    final List<Window> windows = new ArrayList<>();
    private long lastMillis;
    private boolean trained;

    @Override
    public void phase(String text) {}

    @Override
    public void tick(RunView view) {}

    @Override
    public void event(RunView view, DecisionEvent event) {
      Status.Ingestion times = event.status().ingestion();
      trained |= event.status().training();
      if (lastMillis > 0 && times.events() > 0 && event.atMillis() > lastMillis) {
        double seconds = (event.atMillis() - lastMillis) / 1000.0;
        windows.add(new Window(times.events() / seconds, times, trained));
        trained = false;
      }
      lastMillis = event.atMillis();
    }
  }

  private static List<Window> run(Path work, long events, double rate, String period)
      throws Exception {
    Files.createDirectories(work);
    Path file = work.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: wide
        input: {format: json, features: [{name: x, width: 50}], label: y, classes: 2}
        model: {type: mlp, hidden: [64, 32]}
        update: {rule: periodic, period: %s, max-batch: 100000}
        selection: {max-samples: 10000000, max-bytes: 16GiB, replay-budget: 2000}
        """
            .formatted(period));
    ApplicationSettings application = ApplicationFileReader.read(file, System::getenv);
    Recorder recorder = new Recorder();
    InputPlan input =
        new InputPlan(application, "wide", () -> new WideEvents(events), Long.MAX_VALUE, rate);
    boolean[] enough = {false};
    RunMonitor monitor =
        new RunMonitor() {
          @Override
          public void phase(String text) {}

          @Override
          public void event(RunView view, DecisionEvent event) {
            recorder.event(view, event);
            enough[0] = event.status().samples().received() >= events;
          }

          @Override
          public void tick(RunView view) {}
        };
    // The end marker would train everything at once; the measurement ends before that.
    new EmbeddedRun(new EmbeddedRun.Plan(List.of(application), work, null, input), monitor)
        .run(() -> enough[0]);
    List<Window> windows = recorder.windows;
    return windows.subList(Math.min(WARM_UP_WINDOWS, windows.size() - 1), windows.size() - 1);
  }

  private static String row(String name, List<Window> windows) {
    double[] rates = windows.stream().mapToDouble(Window::eventsPerSecond).toArray();
    double[] p50 = windows.stream().mapToDouble(w -> w.times().p50Millis()).toArray();
    double[] p99 = windows.stream().mapToDouble(w -> w.times().p99Millis()).toArray();
    double training = windows.stream().filter(Window::training).count() / (double) windows.size();
    return "| %s | %d | %s | %s | %s | %.2f |%n"
        .formatted(
            name,
            windows.size(),
            Repeats.of(rates).text("%.0f"),
            Repeats.of(p50).text("%.0f"),
            Repeats.of(p99).text("%.0f"),
            training);
  }
}
