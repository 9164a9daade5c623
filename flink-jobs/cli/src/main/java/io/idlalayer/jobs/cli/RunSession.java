package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.cli.progress.TerminalMonitor;
import io.idlalayer.jobs.cli.progress.VerboseOption;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.report.DecisionFile;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.jobs.terminal.StopSignals;
import io.idlalayer.modelloader.natives.KernelRuntime;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A run in the foreground, with progress on the terminal and a report at the end. Ctrl-C stops the
 * run cleanly; a second Ctrl-C stops it at once.
 */
final class RunSession {
  private final PrintWriter out;
  private final OutputOptions written;
  private final @Nullable ConsoleProcess console;
  private final double allowedShare;

  /** Options for the output that a run writes for its user besides its progress. */
  static final class OutputOptions {
    @Option(names = "--report", paramLabel = "FILE.json", description = "Where to write a report.")
    @Nullable Path report;

    @Option(
        names = "--decisions",
        paramLabel = "FILE.jsonl",
        description = "Where to write all decisions, for 'idla replay'.")
    @Nullable Path decisions;

    @Mixin VerboseOption verbose;
  }

  /**
   * @param written output that the run writes for its user
   * @param console process that shows the run in the browser, or null
   * @param allowedShare share of refused events that is no loss, 0 to 1
   */
  RunSession(
      PrintWriter out,
      OutputOptions written,
      @Nullable ConsoleProcess console,
      double allowedShare) {
    this.out = out;
    this.written = written;
    this.console = console;
    this.allowedShare = allowedShare;
  }

  /**
   * Runs the plan until its input ends or the user stops it, and returns the exit code.
   *
   * @param files application files of the plan
   */
  int run(EmbeddedRun.Plan plan, List<Path> files) throws IOException, InterruptedException {
    Path report = written.report;
    Path decisions = written.decisions;
    try (StopSignals signals = new StopSignals();
        ConsoleProcess shown = console;
        DecisionFile log = decisions == null ? null : new DecisionFile(decisions)) {
      TerminalMonitor.ConsoleStart start =
          shown == null
              ? null
              : (servers, line) -> shown.start(files, plan.workDirectory(), servers, line);
      TerminalMonitor monitor =
          new TerminalMonitor(
              out,
              plan.applications(),
              new TerminalMonitor.Shows(written.verbose.updates, log, start));
      LogFile.in(plan.workDirectory());
      RunOutcome outcome = new EmbeddedRun(plan, monitor).run(signals::received);
      int code = monitor.end(outcome, plan.workDirectory(), allowedShare);
      if (report != null) {
        RunReport.write(
            RunReport.of(
                outcome.view(), outcome.wallSeconds(), outcome.saved(), KernelRuntime.describe()),
            report);
        out.println("report: " + report);
      }
      if (decisions != null) {
        out.println("decisions: " + decisions + "; try: idla replay --arrivals " + decisions);
      }
      out.flush();
      return code;
    }
  }
}
