package io.idlalayer.jobs.cli.progress;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.findings.InputOutcome;
import io.idlalayer.jobs.findings.RunFindings;
import io.idlalayer.jobs.report.DecisionFile;
import io.idlalayer.jobs.report.ProgressText;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows a run on the terminal, as a block of lines that is refreshed every second; if the output is
 * not a terminal, as a line every 5 s. Phases and findings are lines that stay, and so are updates
 * if the user asks for them. Safe from any thread.
 */
public final class TerminalMonitor implements RunMonitor {
  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Longest time that the progress waits for the console's address, which is printed first. */
  private static final long CONSOLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Indents what stands below the first line of progress. */
  private static final String BELOW = " ".repeat(9);

  private final PrintWriter out;
  private final Screen screen;
  private final List<ApplicationSettings> applications;
  private final Shows shows;
  private final RunFindings findings;
  private final ProgressText progress;
  private final LongSupplier nanoTime;
  private final long startNanos;
  private long nextNanos;
  private boolean emptyInput;

  /**
   * The outputs besides the progress.
   *
   * @param updates whether there is a line for each update
   * @param log file to which every event is also written; null for none
   * @param console starts the console in the browser; null for none
   */
  public record Shows(boolean updates, @Nullable DecisionFile log, @Nullable ConsoleStart console) {
    /** Creates the choice of a run that has no console and no file of decisions. */
    public Shows(boolean updates) {
      this(updates, null, null);
    }
  }

  /** Starts the console in the browser. */
  @FunctionalInterface
  public interface ConsoleStart {
    /**
     * Starts the console of a job, without waiting for it.
     *
     * @param servers Kafka servers of the job's topics
     * @param line takes a readable line, on any thread: the address of the console, or why there is
     *     none
     */
    void start(String servers, Consumer<String> line);
  }

  /**
   * Creates a monitor that writes to this process's standard output.
   *
   * @param out writer to standard output
   * @param applications applications of the run
   */
  public TerminalMonitor(PrintWriter out, List<ApplicationSettings> applications, Shows shows) {
    this(out, Screen.Form.ofThisProcess(), applications, shows, System::nanoTime);
  }

  TerminalMonitor(
      PrintWriter out,
      Screen.Form form,
      List<ApplicationSettings> applications,
      Shows shows,
      LongSupplier nanoTime) {
    this.out = out;
    this.applications = List.copyOf(applications);
    this.shows = shows;
    this.nanoTime = nanoTime;
    screen = new Screen(out, form);
    findings = new RunFindings(applications);
    progress = new ProgressText(applications);
    startNanos = nanoTime.getAsLong();
    nextNanos = startNanos;
  }

  @Override
  public synchronized void submitted(String servers) {
    ConsoleStart console = shows.console();
    if (console != null) {
      nextNanos = nanoTime.getAsLong() + CONSOLE_NANOS;
      console.start(servers, this::consoleAnswered);
    }
  }

  private synchronized void consoleAnswered(String line) {
    screen.line(timed(line));
    nextNanos = Math.min(nextNanos, nanoTime.getAsLong());
  }

  /** Prints the name of a phase of the run, with the seconds since the start. */
  @Override
  public synchronized void phase(String text) {
    screen.line(timed(text));
  }

  private String timed(String text) {
    return String.format(
        Locale.ROOT, "%6.1fs  %s", (nanoTime.getAsLong() - startNanos) / 1e9, text);
  }

  private void say(DecisionEvent event, String text) {
    screen.line(timed(event.application() + ": " + text));
  }

  @Override
  public synchronized void event(RunView view, DecisionEvent event) {
    UpdateRecord update = event.update();
    DecisionFile log = shows.log();
    if (log != null) {
      log.add(event);
    }
    switch (event.type()) {
      case PUBLISHED -> {
        if (shows.updates() && update != null) {
          say(event, UpdateText.of(update));
        }
      }
      case ABORTED -> {
        if (shows.updates()) {
          say(event, "a training was given up: " + Shown.escaped(event.message()));
        }
      }
      case DROPPED,
          RESTORED,
          RULES,
          INPUT,
          MEMORY,
          HELD,
          WORSE,
          ROLLED_BACK,
          UNCOMPARED,
          FORGOTTEN ->
          say(event, Shown.escaped(event.message()));
      case STATUS, FIRED, ARRIVALS, STAGED, PLANNED, EXPLAINED, MIXED, FINISHED -> {}
    }
    findings.after(view, event).forEach(finding -> say(event, finding));
  }

  @Override
  public synchronized void expects(long records) {
    progress.expect(records);
  }

  @Override
  public synchronized void expectsInAll(long records) {
    progress.expectInAll(records);
  }

  @Override
  public synchronized void nothingToSend() {
    emptyInput = true;
  }

  @Override
  public synchronized void tick(RunView view) {
    long now = nanoTime.getAsLong();
    progress.begin(view, now);
    if (now < nextNanos) {
      return;
    }
    nextNanos = now + (screen.refreshes() ? REFRESH_NANOS : LINE_NANOS);
    List<String> lines = new ArrayList<>();
    for (String each : progress.lines(view, now)) {
      boolean below = !lines.isEmpty();
      lines.add(below ? (screen.refreshes() ? BELOW : "") + each : timed(each));
    }
    screen.refresh(lines);
  }

  /**
   * Prints the findings about the input of a run that has ended, and the summary of the run.
   *
   * @param work work directory of the run
   * @param allowedShare share of refused events that is no loss, 0 to 1
   * @return exit code, which says how much of the input was learned
   */
  public synchronized int end(RunOutcome outcome, Path work, double allowedShare) {
    Set<String> models = new TreeSet<>();
    for (ApplicationSettings application : applications) {
      String named = application.publishing().directory();
      models.add(named == null ? work.resolve("models").toString() : named);
    }
    screen.clear();
    screen.line(timed(outcome.finished() ? "input learned to its end" : "stopped"));
    if (!emptyInput) {
      for (ApplicationSettings application : applications) {
        for (String finding : RunFindings.atEnd(outcome.view(), application)) {
          out.println(application.name() + ": " + finding);
        }
      }
    }
    new RunSummary(out).print(outcome.view().learners());
    int code = judge(outcome, allowedShare);
    out.println("everything is in " + work + "; models are in " + String.join(", ", models));
    if (!LogFile.where().isEmpty()) {
      out.println(LogFile.where());
    }
    out.flush();
    return code;
  }

  /** Says how much of the input was learned, if it was not all of it, and returns the exit code. */
  private int judge(RunOutcome outcome, double allowedShare) {
    if (emptyInput && outcome.finished()) {
      // The learners' findings are about earlier input.
      int code = InputOutcome.NOTHING.exitCode();
      String reason = InputOutcome.NOTHING.reason(Surveyed.NOTHING, allowedShare);
      applications.forEach(
          each -> out.println(each.name() + ": " + reason + "; exit code " + code));
      return code;
    }
    int code =
        InputOutcome.of(findings.outcomes(outcome.view(), outcome.finished(), allowedShare))
            .exitCode();
    for (String loss : findings.losses(outcome.view(), outcome.finished(), allowedShare)) {
      out.println(loss + "; exit code " + code);
    }
    return code;
  }
}
