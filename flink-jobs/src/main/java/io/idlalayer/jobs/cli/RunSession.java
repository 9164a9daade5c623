package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.report.DecisionLog;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.run.RunOutcome;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A run in the foreground: progress on the console, Ctrl-C stops it cleanly (a second one at once),
 * a report at the end.
 */
final class RunSession {
  private final PrintWriter out;
  private final @Nullable Path report;
  private final @Nullable Path decisions;

  RunSession(PrintWriter out, @Nullable Path report, @Nullable Path decisions) {
    this.out = out;
    this.report = report;
    this.decisions = decisions;
  }

  int run(EmbeddedRun.Plan plan) throws IOException, InterruptedException {
    try (StopSignals signals = new StopSignals();
        DecisionLog log = decisions == null ? null : new DecisionLog(decisions)) {
      ConsoleMonitor monitor = new ConsoleMonitor(out, log);
      LogFile.in(plan.workDirectory());
      RunOutcome outcome = new EmbeddedRun(plan, monitor).run(signals::received);
      monitor.end(outcome, plan.workDirectory());
      if (report != null) {
        RunReport.write(RunReport.of(outcome.view(), outcome.wallSeconds()), report);
        out.println("report: " + report);
      }
      if (decisions != null) {
        out.println("decisions: " + decisions + "; try: idla replay --arrivals " + decisions);
      }
      out.flush();
      return Idla.OK;
    }
  }
}
