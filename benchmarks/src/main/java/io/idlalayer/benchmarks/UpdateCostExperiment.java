package io.idlalayer.benchmarks;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * What an update costs in a whole run, with broker, Flink and producer in one process: milliseconds
 * of processor time by part, as the learner counts them, over the first minute and once the code is
 * warm; and the processor time of all threads of the process while it is warm, by kind, which also
 * has what events cost.
 */
@Command(
    name = "update-cost",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Processor time of updates by part, and of threads by kind, in a whole run.")
public final class UpdateCostExperiment implements Callable<Integer> {
  private static final double MILLIS_PER_SECOND = 1_000;
  private static final long MINUTE_MILLIS = 60_000;
  private static final int SECONDS_OF_PART = 5;

  @Spec CommandSpec spec;

  @Parameters(index = "0", paramLabel = "APPLICATION.yaml")
  Path application;

  @Parameters(index = "1", paramLabel = "INPUT")
  Path input;

  @Option(names = "--rate", paramLabel = "N", description = "Events a second.")
  double rate = 1_000;

  @Option(names = "--limit", paramLabel = "N", description = "Most events.")
  long limit = Long.MAX_VALUE;

  @Option(
      names = "--warm",
      paramLabel = "N",
      description = "Updates after which the code is warm; up to 1,000 sync more than later ones.")
  long warm = 1_000;

  @Option(
      names = "--updates",
      paramLabel = "N",
      description = "Updates after which the run is stopped, if its input has not ended before.")
  long updates = Long.MAX_VALUE;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Seconds after which the run is stopped, if its input has not ended before.")
  long seconds = Long.MAX_VALUE / 1_000_000_000;

  @Option(names = "--work", paramLabel = "FOLDER", description = "For a folder of the run.")
  @Nullable Path work;

  public static void main(String[] options) {
    Experiment.run(new UpdateCostExperiment(), options);
  }

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    ApplicationSettings settings = ApplicationFileReader.read(application, name -> null);
    Watch watch = new Watch(warm, out);
    long startNanos = System.nanoTime();
    try (WorkFolder folder = WorkFolder.in(work, "update-cost")) {
      InputPlan plan = new InputPlan(settings, InputSource.file(input, settings), limit, rate);
      new EmbeddedRun(new EmbeddedRun.Plan(List.of(settings), folder.path(), null, plan), watch)
          .run(
              () ->
                  watch.updates >= updates
                      || System.nanoTime() - startNanos >= TimeUnit.SECONDS.toNanos(seconds));
    }
    watch.print();
    out.flush();
    return watch.warmed == null ? 1 : 0;
  }

  /**
   * What was counted up to a moment.
   *
   * @param threads null where they were not looked at
   */
  private record Counted(long atMillis, Status status, @Nullable ProcessorTimes threads) {
    ProcessorUse use() {
      ProcessorUse use = status.processor();
      if (use == null) {
        throw new IllegalStateException("the learner counts no processor time");
      }
      return use;
    }

    static Counted of(DecisionEvent event) {
      return new Counted(event.atMillis(), event.status(), null);
    }
  }

  /** A part of what updates cause. */
  private record Part(String name, ToDoubleFunction<ProcessorUse.Caused> seconds) {}

  private static final List<Part> PARTS =
      List.of(
          new Part("deciding", ProcessorUse.Caused::decidingSeconds),
          new Part("training", ProcessorUse.Caused::trainingSeconds),
          new Part("accepting", ProcessorUse.Caused::acceptingSeconds),
          new Part("reporting", ProcessorUse.Caused::reportingSeconds),
          new Part("publishing", ProcessorUse.Caused::publishingSeconds),
          new Part("cleaning up", ProcessorUse.Caused::cleaningUpSeconds),
          new Part("sending", ProcessorUse.Caused::sendingSeconds),
          new Part("following", ProcessorUse.Caused::followingSeconds),
          new Part("all", ProcessorUse.Caused::sumSeconds));

  /** Remembers what was counted at the moments between which is measured. */
  private static final class Watch implements RunMonitor {
    private final long warm;
    private final PrintWriter out;
    private long updates;
    private final UpdateWaits waits = new UpdateWaits();
    private @Nullable Counted first;
    private @Nullable Counted minute;
    private @Nullable Counted warmed;
    private @Nullable Counted last;

    /** A moment at which the threads are still to be looked at, outside of what is counted. */
    private boolean looksAtThreads;

    Watch(long warm, PrintWriter out) {
      this.warm = warm;
      this.out = out;
    }

    @Override
    public void phase(String text) {
      out.println(text);
      out.flush();
    }

    @Override
    public void tick(RunView view) {
      if (looksAtThreads) {
        looksAtThreads = false;
        ProcessorTimes now = ProcessorTimes.now();
        warmed = with(warmed, now);
        last = with(last, now);
      }
    }

    private static @Nullable Counted with(@Nullable Counted counted, ProcessorTimes threads) {
      return counted == null || counted.threads() != null
          ? counted
          : new Counted(counted.atMillis(), counted.status(), threads);
    }

    @Override
    public void event(RunView view, DecisionEvent event) {
      waits.event(event);
      Counted from = first;
      if (from == null) {
        first = Counted.of(event);
        return;
      }
      if (minute == null && event.atMillis() >= from.atMillis() + MINUTE_MILLIS) {
        minute = Counted.of(event);
      }
      if (event.type() != DecisionEvent.Type.STAGED) {
        return;
      }
      updates = event.status().updates();
      if (warmed == null && updates >= warm) {
        warmed = Counted.of(event);
        looksAtThreads = true;
      }
      // The last ones are of the end of the input, whose updates are smaller.
      if (updates % 50 == 0) {
        last = Counted.of(event);
        looksAtThreads = true;
      }
    }

    void print() {
      Counted begin = first;
      Counted end = last;
      if (begin == null || end == null) {
        out.println("no update was accepted");
        return;
      }
      Counted untilMinute = minute == null ? end : minute;
      table(out, "the first minute", begin, untilMinute);
      Counted from = warmed;
      if (from == null || from.status().updates() >= end.status().updates()) {
        out.printf(Locale.ROOT, "fewer than %d updates: nothing is warm%n", warm);
        return;
      }
      table(out, "warm", from, end);
      long events = end.status().samples().received() - from.status().samples().received();
      waits.print(out, begin.atMillis(), from.atMillis(), SECONDS_OF_PART);
      double seconds = (end.atMillis() - from.atMillis()) / MILLIS_PER_SECOND;
      long updates = end.use().updates() - from.use().updates();
      out.printf(
          Locale.ROOT,
          "warm: %.1f s, %.1f updates/s, %.0f events/s; incorporation of all: mean %.0f ms, p99"
              + " %.0f ms%n",
          seconds,
          updates / seconds,
          events / seconds,
          end.status().incorporation().meanSeconds() * MILLIS_PER_SECOND,
          end.status().incorporation().p99Seconds() * MILLIS_PER_SECOND);
      out.printf(
          Locale.ROOT,
          "statuses: %.3f ms of each second%n",
          (end.use().statusSeconds() - from.use().statusSeconds()) * MILLIS_PER_SECOND / seconds);
      ProcessorTimes before = from.threads();
      ProcessorTimes after = end.threads();
      if (events == 0) {
        out.println("no event arrived while it was warm: it had fallen behind its input");
      } else if (before != null && after != null) {
        out.print("all threads while warm: " + after.since(before, events));
      }
    }

    private static void table(PrintWriter out, String title, Counted from, Counted to) {
      long updates = to.use().updates() - from.use().updates();
      out.printf(Locale.ROOT, "%s: milliseconds of %d updates in the mean%n", title, updates);
      for (Part each : PARTS) {
        double spent =
            each.seconds().applyAsDouble(to.use().caused())
                - each.seconds().applyAsDouble(from.use().caused());
        out.printf(
            Locale.ROOT, "  %-12s %6.3f%n", each.name(), spent * MILLIS_PER_SECOND / updates);
      }
    }
  }
}
