package io.idlalayer.benchmarks;

import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ingestion of 1 KB JSON events with everything in one process (producer, broker, Flink, learner):
 * events per second at full speed, the time from the topic to the books at a fixed rate, without
 * and with trainings, and events per second while a backlog is drained, which was in the topic
 * before the job started. Every window is one status of the learner, about a second; the first ones
 * are warm-up, and the one with the last event is left out. The row of the backlog joins windows to
 * spans of three seconds.
 *
 * <p>No rule starts a training where the table says so, but 100,000 waiting samples do.
 */
public final class IngestionExperiment {
  private static final int WARM_UP_WINDOWS = 8;
  private static final int SPAN_SECONDS = 3;
  private static final double WARM_UP_SHARE = 0.4;
  private static final String HEAD =
      "| run | windows | events/s median (min..max) | p50 ms | p99 ms | share of windows training"
          + " |\n"
          + "|---|---|---|---|---|---|\n";

  private IngestionExperiment() {}

  /**
   * Usage: {@code IngestionExperiment WORK_FOLDER EVENTS RATE [BACKLOG]}, or {@code
   * IngestionExperiment WORK_FOLDER drain BACKLOG [HOT_BYTES]} or {@code IngestionExperiment
   * WORK_FOLDER full EVENTS [HOT_BYTES]} for one measurement with its processor time by kind of
   * thread. HOT_BYTES is what the learner donates to the hot cache, {@value WideEvents#HOT_BYTES}
   * if it is left out.
   *
   * <p>BACKLOG is how many events are drained, 2 million if it is left out; 0 leaves draining out.
   */
  public static void main(String[] args) throws Exception {
    Path work = Path.of(args[0]);
    if (args[1].equals("drain") || args[1].equals("full")) {
      one(
          work,
          args[1].equals("drain"),
          Long.parseLong(args[2]),
          args.length > 3 ? args[3] : WideEvents.HOT_BYTES);
      System.exit(0);
    }
    long events = Long.parseLong(args[1]);
    double rate = Double.parseDouble(args[2]);
    long backlog = args.length > 3 ? Long.parseLong(args[3]) : 2_000_000;
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
    if (backlog > 0) {
      table.append(spansRow("draining a backlog", drained(work.resolve("d"), backlog).measured()));
    }
    System.out.print(HEAD + table);
    System.exit(0);
  }

  private static void one(Path work, boolean drains, long events, String hotBytes)
      throws Exception {
    ApplicationSettings application = WideEvents.application(work, "1h", hotBytes);
    Recorder recorder =
        drains ? drain(application, work, events) : run(application, work, events, 0);
    System.out.print(
        HEAD
            + (drains
                ? spansRow("draining a backlog", recorder.measured())
                : row("full speed, no training", recorder))
            + recorder.processorTime());
  }

  /** One status and the seconds it covers. */
  private record Window(double seconds, Status.Ingestion times, boolean training) {
    double eventsPerSecond() {
      return times.events() / seconds;
    }
  }

  private static final class Recorder implements RunMonitor {
    final List<Window> windows = new ArrayList<>();
    private final long events;
    private long lastMillis;
    private boolean trained;
    private long warmEvents;
    private @Nullable ProcessorTimes warm;
    private String processorTime = "";

    Recorder(long events) {
      this.events = events;
    }

    /** The windows behind the warm-up, without the one with the last event. */
    List<Window> measured() {
      if (windows.size() - 1 <= WARM_UP_WINDOWS) {
        throw new IllegalStateException(
            "%,d events were learned in %d windows, of which %d are warm-up and the last is left out:"
                    .formatted(events, windows.size(), WARM_UP_WINDOWS)
                + " more events are needed");
      }
      return windows.subList(WARM_UP_WINDOWS, windows.size() - 1);
    }

    /**
     * Returns the processor time of all events after the first {@value #WARM_UP_SHARE} of them,
     * during which most code is compiled.
     */
    String processorTime() {
      return processorTime;
    }

    private void lookAtProcessor(long received) {
      ProcessorTimes before = warm;
      if (before != null) {
        processorTime = ProcessorTimes.now().since(before, received - warmEvents);
      } else if (received >= events * WARM_UP_SHARE) {
        warm = ProcessorTimes.now();
        warmEvents = received;
      }
    }

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
        windows.add(new Window(seconds, times, trained));
        trained = false;
      }
      lastMillis = event.atMillis();
      lookAtProcessor(event.status().samples().received());
    }
  }

  private static Recorder run(Path work, long events, double rate, String period) throws Exception {
    return run(WideEvents.application(work, period, WideEvents.HOT_BYTES), work, events, rate);
  }

  private static Recorder run(ApplicationSettings application, Path work, long events, double rate)
      throws Exception {
    InputPlan input =
        new InputPlan(application, "wide", () -> new WideEvents(events), Long.MAX_VALUE, rate);
    return learn(new EmbeddedRun.Plan(List.of(application), work, null, input), events);
  }

  private static Recorder drained(Path work, long events) throws Exception {
    return drain(WideEvents.application(work, "1h", WideEvents.HOT_BYTES), work, events);
  }

  /** The broker has all events before the job starts; nothing is produced while it runs. */
  private static Recorder drain(ApplicationSettings application, Path work, long events)
      throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(work.resolve("broker"), 0)) {
      String servers = broker.bootstrapServers();
      WideEvents.send(application, servers, events, Long.MAX_VALUE);
      return learn(new EmbeddedRun.Plan(List.of(application), work, servers, null), events);
    }
  }

  private static Recorder learn(EmbeddedRun.Plan plan, long events) throws Exception {
    Recorder recorder = new Recorder(events);
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
    new EmbeddedRun(plan, monitor).run(() -> enough[0]);
    return recorder;
  }

  private static String row(String name, Recorder recorder) {
    List<Window> windows = recorder.measured();
    double[] p50 = windows.stream().mapToDouble(w -> w.times().p50Millis()).toArray();
    double[] p99 = windows.stream().mapToDouble(w -> w.times().p99Millis()).toArray();
    double[] rates = windows.stream().mapToDouble(Window::eventsPerSecond).toArray();
    return row(name, windows, rates, Repeats.of(p50).text("%.0f"), Repeats.of(p99).text("%.0f"));
  }

  /**
   * A row of events per second over spans of {@value #SPAN_SECONDS} seconds, because trainings hold
   * some windows up and not others. How long the events were in the topic says nothing here.
   */
  private static String spansRow(String name, List<Window> windows) {
    List<Double> rates = new ArrayList<>();
    double seconds = 0;
    long events = 0;
    for (Window window : windows) {
      seconds += window.seconds();
      events += window.times().events();
      if (seconds >= SPAN_SECONDS) {
        rates.add(events / seconds);
        seconds = 0;
        events = 0;
      }
    }
    if (rates.isEmpty()) {
      throw new IllegalStateException(
          "%s: the events last for less than %d s behind the warm-up: more are needed"
              .formatted(name, SPAN_SECONDS));
    }
    double[] spans = rates.stream().mapToDouble(Double::doubleValue).toArray();
    return row(name, windows, spans, "-", "-");
  }

  private static String row(
      String name, List<Window> windows, double[] rates, String p50, String p99) {
    double training = windows.stream().filter(Window::training).count() / (double) windows.size();
    return "| %s | %d | %s | %s | %s | %.2f |%n"
        .formatted(name, rates.length, Repeats.of(rates).text("%.0f"), p50, p99, training);
  }
}
